#include "virtual_reactor.h"

#include <cstdlib>
#include <map>

#include "platform/posix/collector.h"
#include "platform/posix/reactor.h"
#include "platform/posix/terminal.h"

namespace holdfast {

namespace {

using Task = posix::Reactor::Task;

std::uint64_t g_now_us;
std::uint64_t g_next_timer;
std::multimap<std::uint64_t, std::pair<std::uint64_t, Task>> g_timers;

// A stream would need one: this world has none.
[[noreturn]] void unexpected() { std::abort(); }

}  // namespace

namespace test {

void reset_time() {
  g_timers.clear();
  g_now_us = 1'000'000;
  g_next_timer = 1;
}

std::size_t timers() { return g_timers.size(); }

bool run_next_timer() {
  if (g_timers.empty()) return false;
  const auto first = g_timers.begin();
  if (first->first > g_now_us) g_now_us = first->first;
  const Task task = std::move(first->second.second);
  g_timers.erase(first);
  task();
  return true;
}

}  // namespace test

namespace posix {

std::uint64_t now_us() { return g_now_us; }

Reactor::TimerId Reactor::at(std::uint64_t when_us, Task task) {
  const TimerId id = g_next_timer++;
  g_timers.emplace(when_us, std::pair(id, std::move(task)));
  return id;
}

void Reactor::cancel(TimerId id) {
  for (auto at = g_timers.begin(); at != g_timers.end(); ++at) {
    if (at->second.first == id) {
      g_timers.erase(at);
      return;
    }
  }
}

Reactor::WatchId Reactor::watch(int, std::uint32_t, Handler) { unexpected(); }
void Reactor::unwatch(WatchId id) {
  if (id != 0) unexpected();
}

void Collector::start(Reactor&, posix::Fd, std::function<void()>) { unexpected(); }
void Collector::hurry() { unexpected(); }
void Collector::close() { unexpected(); }
void Collector::abandon() { unexpected(); }
void Terminal::start(Reactor&) { unexpected(); }
void Terminal::exited() { unexpected(); }
void Terminal::close() { unexpected(); }

}  // namespace posix
}  // namespace holdfast
