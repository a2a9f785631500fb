#include "terminal.h"

#include <errno.h>
#include <unistd.h>

#include <algorithm>

namespace holdfast::posix {

namespace {

/// Output that waits for JavaScript before the terminal is read no further, and the program waits as on any slow terminal.
constexpr std::size_t kMostChunks = 4;
/// What the kernel can hold at one moment, with room to spare: 4 KiB of the line discipline and 8 KiB of its buffer, and
/// what one write may exceed that by. More than this after an exit was written after it, by a member that lives on.
constexpr std::size_t kKernelQueue = 64 * 1024;
/// A read of fewer bytes has emptied the line discipline, which holds 4 KiB.
constexpr ssize_t kShortRead = 2048;
/// Bytes that are written at a stretch: a fast reader must not keep a thread busy with one paste.
constexpr std::size_t kWriteBudget = 64 * 1024;
/// A program that prints fast fills the kernel's queue a thousand times a second: JavaScript is woken once for what comes
/// within this time, unless a whole chunk is there or it is the answer to something that was typed.
constexpr std::uint64_t kTellUs = 1000;

}  // namespace

int Terminal::open(Fd& slave, const char*& syscall) {
  Pty pty;
  if (const int error = open_pty(size_, pty, syscall)) return error;
  syscall = "fstat";
  if (const int error = identify_tty(pty.slave.get(), identity_)) return error;
  std::lock_guard lock(master_mutex_);
  master_ = std::move(pty.master);
  slave = std::move(pty.slave);
  return 0;
}

std::string Terminal::path() const {
  char path[64];
  std::lock_guard lock(master_mutex_);
  return master_ && slave_path(master_.get(), path, sizeof path) == 0 ? path : std::string();
}

void Terminal::start(Reactor& reactor) {
  {
    std::lock_guard lock(master_mutex_);
    if (!master_) return;
    reactor_ = &reactor;
    takes_input_ = true;
  }
  // Edge-triggered: when the last program closes the terminal the master is readable for good, which is not the
  // end as long as the top-level process lives; it may open the terminal again.
  watch_ = reactor.watch(master_.get(), Poller::kRead | Poller::kWrite | Poller::kEdge, [self = shared_from_this()](std::uint32_t) { self->on_event(); });
  if (watch_ == 0) close();
}

void Terminal::on_event() {
  if (!read_posted_) read_output();
  flush_input();
}

// --- output ---

Terminal::Read Terminal::fill(Chunk& chunk, std::size_t limit, bool to_the_bottom) {
  while (chunk.used < limit) {
    // Only this thread closes the master, so it needs no lock to read.
    const ssize_t n = ::read(master_.get(), chunk.bytes + chunk.used, limit - chunk.used);
    if (n > 0) {
      chunk.used += static_cast<std::size_t>(n);
      // A read takes all that the line discipline has, and whatever it gets later is another event. To ask again would
      // make the kernel look for more at once, which takes longer than the echo of a key.
      if (!to_the_bottom && n < kShortRead) return Read::empty;
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    // The kernel looks through its whole queue before it says EAGAIN, also through what no poll has announced yet.
    return n < 0 && errno == EAGAIN ? Read::empty : Read::hung_up;
  }
  return Read::more;
}

void Terminal::read_output() {
  read_posted_ = false;
  if (!master_) return;
  if (ended_) return discard();
  for (std::size_t i = 0; i < kMostChunks; i++) {
    std::unique_ptr<Chunk> chunk = chunk_to_fill(false);
    if (!chunk) return;  // full; take() comes back here
    const Read result = fill(*chunk, Chunk::kSize, false);
    publish(std::move(chunk), false);
    if (result != Read::more) return;
  }
  // Others have their turn; no event would tell of what is there already.
  read_posted_ = true;
  reactor_->post([self = shared_from_this()] { self->read_output(); });
}

void Terminal::exited() {
  {
    std::lock_guard lock(master_mutex_);
    takes_input_ = false;
    input_.clear();
  }
  if (ended_) return;
  // Whatever the top-level process has written is in the kernel's queue by now. Taken whole, beyond the limit too, so that
  // the end depends on nobody who reads, and bounded, so that it does not depend on who still writes.
  Read result = master_ ? Read::more : Read::hung_up;
  for (std::size_t left = kKernelQueue; left > 0 && result == Read::more;) {
    std::unique_ptr<Chunk> chunk = chunk_to_fill(true);
    const std::size_t before = chunk->used;
    result = fill(*chunk, std::min(Chunk::kSize, before + left), true);
    left -= chunk->used - before;
    publish(std::move(chunk), false);
  }
  publish(nullptr, true);
  if (result == Read::more) discard();
}

void Terminal::close() {
  exited();
  if (reactor_ != nullptr) {
    reactor_->unwatch(std::exchange(watch_, 0));
    reactor_->cancel(std::exchange(telling_, 0));
  }
  std::lock_guard lock(master_mutex_);
  master_.reset();
}

// After the end. Members that live on can still write: they would wait for ever for somebody who reads.
void Terminal::discard() {
  Chunk nowhere;
  for (std::size_t i = 0; i < kMostChunks; i++) {
    nowhere.used = 0;
    if (fill(nowhere, Chunk::kSize, false) != Read::more) return;
  }
  if (std::exchange(read_posted_, true)) return;
  reactor_->post([self = shared_from_this()] { self->read_output(); });
}

// The newest chunk is filled up before another one is begun, so that many small outputs do not count as many chunks.
std::unique_ptr<Terminal::Chunk> Terminal::chunk_to_fill(bool beyond_the_limit) {
  std::lock_guard lock(output_mutex_);
  if (!output_.empty() && output_.back()->used < Chunk::kSize) {
    std::unique_ptr<Chunk> newest = std::move(output_.back());
    output_.pop_back();
    return newest;
  }
  if (output_.size() >= kMostChunks && !beyond_the_limit) {
    full_ = true;
    return nullptr;
  }
  if (spare_) return std::move(spare_);
  return std::make_unique_for_overwrite<Chunk>();
}

void Terminal::publish(std::unique_ptr<Chunk> chunk, bool ended) {
  bool now;
  {
    std::lock_guard lock(output_mutex_);
    if (chunk && chunk->used > 0) {
      output_.push_back(std::move(chunk));
    } else if (chunk) {
      spare_ = std::move(chunk);
    }
    if (ended) {
      ended_ = true;
      full_ = false;
      spare_.reset();
    }
    if (!wanted_ || (!ended_ && output_.empty())) return;
    now = ended_ || output_.size() > 1 || output_.front()->used == Chunk::kSize || std::exchange(answer_, false);
  }
  if (now || reactor_ == nullptr || now_us() >= told_us_ + kTellUs) return tell();
  if (telling_ != 0) return;
  telling_ = reactor_->at(told_us_ + kTellUs, [self = shared_from_this()] {
    self->telling_ = 0;
    self->tell();
  });
}

void Terminal::tell() {
  {
    std::lock_guard lock(output_mutex_);
    if (!std::exchange(wanted_, false)) return;
  }
  if (reactor_ != nullptr) reactor_->cancel(std::exchange(telling_, 0));
  told_us_ = now_us();
  post(core::Fact::Kind::grew, 1);
}

std::unique_ptr<Terminal::Chunk> Terminal::take(bool& ended) {
  std::unique_ptr<Chunk> oldest;
  bool was_full = false;
  {
    std::lock_guard lock(output_mutex_);
    if (!output_.empty()) {
      oldest = std::move(output_.front());
      output_.pop_front();
      was_full = std::exchange(full_, false);
    }
    ended = ended_ && output_.empty();
    wanted_ = !oldest && !ended;
  }
  if (was_full) reactor_->post([self = shared_from_this()] { self->read_output(); });
  return oldest;
}

void Terminal::give_back(std::unique_ptr<Chunk> chunk) {
  chunk->used = 0;
  std::lock_guard lock(output_mutex_);
  if (!spare_ && !ended_) spare_ = std::move(chunk);
}

// --- input ---

namespace {

// Writes until everything is written or the kernel takes no more. 0, EAGAIN (also when the budget is used up) or an errno.
int write_some(int master, const char* text, std::size_t size, std::size_t& written, std::size_t& budget) {
  while (written < size) {
    if (budget == 0) return EAGAIN;
    const ssize_t n = ::write(master, text + written, std::min(size - written, budget));
    if (n > 0) {
      written += static_cast<std::size_t>(n);
      budget -= static_cast<std::size_t>(n);
    } else if (n == 0) {
      return EAGAIN;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

int Terminal::write(std::string text, std::uint64_t& until) {
  until = 0;
  {
    std::lock_guard lock(output_mutex_);
    answer_ = true;
  }
  std::lock_guard lock(master_mutex_);
  if (!takes_input_) return EBADF;
  std::size_t written = 0;
  if (input_.empty()) {
    std::size_t budget = kWriteBudget;
    const int result = write_some(master_.get(), text.data(), text.size(), written, budget);
    if (result != EAGAIN) return result;
  }
  input_accepted_ += text.size();
  input_written_ += written;
  until = input_accepted_;
  input_.push_back({std::move(text), written});
  // Not only on an event: what there was room for in between has been told already.
  reactor_->post([self = shared_from_this()] { self->flush_input(); });
  return EAGAIN;
}

void Terminal::flush_input() {
  int error = 0;
  bool completed = false, more = false;
  std::uint64_t total;
  {
    std::lock_guard lock(master_mutex_);
    std::size_t budget = kWriteBudget;
    while (!input_.empty() && takes_input_ && error == 0) {
      Input& next = input_.front();
      const std::size_t before = next.written;
      const int result = write_some(master_.get(), next.text.data(), next.text.size(), next.written, budget);
      input_written_ += next.written - before;
      if (result == EAGAIN) break;
      error = result;
      input_.pop_front();
      completed = true;
    }
    total = input_written_;
    if (error != 0) {
      input_.clear();
      input_written_ = input_accepted_;
    }
    more = budget == 0 && !input_.empty();
  }
  if (completed) post(core::Fact::Kind::wrote, total, error);
  if (more) reactor_->post([self = shared_from_this()] { self->flush_input(); });
}

int Terminal::resize(TerminalSize size) {
  std::lock_guard lock(master_mutex_);
  return takes_input_ ? resize_pty(master_.get(), size) : EBADF;
}

int Terminal::foreground(pid_t& group) const {
  std::lock_guard lock(master_mutex_);
  group = 0;
  return master_ ? foreground_group(master_.get(), group) : 0;
}

void Terminal::post(core::Fact::Kind kind, std::uint64_t number, int error) {
  auto fact = std::make_unique<core::Fact>();
  fact->range = range_;
  fact->kind = kind;
  fact->number = static_cast<std::int64_t>(number);
  fact->second = error;
  sink_->post(std::move(fact));
}

}  // namespace holdfast::posix
