#include "collector.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/uio.h>

#include <limits>

#include "threads.h"

namespace holdfast::posix {

namespace {

constexpr std::uint64_t kNobody = std::numeric_limits<std::uint64_t>::max();
/// Bytes that one turn of the reactor takes from one stream before the others have theirs.
constexpr std::size_t kTurn = 1024 * 1024;
constexpr int kLargePipe = 1024 * 1024;

// 0: nothing there now; -1: errno; else bytes, or end of file as `ended`.
ssize_t read_into(core::TailRing& ring, int pipe, bool& ended) {
  std::span<std::byte> spans[core::TailRing::kMaxSpans];
  const int count = ring.prepare(core::TailRing::kMaxPrepare, spans);
  iovec vectors[core::TailRing::kMaxSpans];
  for (int i = 0; i < count; i++) vectors[i] = {spans[i].data(), spans[i].size()};
  ssize_t n;
  do n = ::readv(pipe, vectors, count);
  while (n < 0 && errno == EINTR);
  if (n == 0) ended = true;
  if (n < 0 && errno == EAGAIN) return 0;
  return n;
}

void wait_for(pollfd& entry, std::uint64_t us) {
#ifdef __linux__
  const timespec wait{0, static_cast<long>(us) * 1000};
  ::ppoll(&entry, 1, &wait, nullptr);
#else
  ::poll(&entry, 1, static_cast<int>((us + 999) / 1000));
#endif
}

}  // namespace

// The thread of a stream that spills. It owns the pipe and is the ring's only producer while it runs; both come back to
// the reactor with the task that it posts as its last act.
struct Collector::Pump {
  std::shared_ptr<Collector> collector;
  Fd pipe;
  Pipe stop;           // its write end is closed to stop the thread
  std::size_t pending;  // prepared and filled, not yet published
  SpillFile file;
  bool announced = false;  // readers have been told of the file
  pthread_t thread{};
  std::atomic<bool> stopping{false};

  static void* main(void* self);
  void run();
  bool begin_file();
  bool store(std::span<const std::byte> bytes);
  bool store_and_publish(std::size_t n);
  void give_up(SpillFacts::State state, core::Failure failure);
  void set_facts(SpillFacts facts) {
    std::lock_guard lock(collector->mutex_);
    collector->spill_ = std::move(facts);
  }
};

void* Collector::Pump::main(void* self) {
  name_this_thread("holdfast-spill");
  static_cast<Pump*>(self)->run();
  return nullptr;
}

void Collector::Pump::give_up(SpillFacts::State state, core::Failure failure) {
  set_facts({state, {}, std::move(failure)});
  file.discard();
  collector->spill_options_->directory->remove_if_empty();
}

bool Collector::Pump::store(std::span<const std::byte> bytes) {
  if (file.size() + bytes.size() > collector->spill_options_->max_bytes) {
    give_up(SpillFacts::State::discarded, {});
    return false;
  }
  core::Failure failure;
  if (file.append(bytes, failure)) return true;
  give_up(SpillFacts::State::failed, std::move(failure));
  return false;
}

// The first overflow: the whole stream so far is still in the window.
bool Collector::Pump::begin_file() {
  core::TailRing& ring = collector->ring_;
  if (ring.total() + pending > collector->spill_options_->max_bytes) {
    set_facts({SpillFacts::State::discarded, {}, {}});
    return false;
  }
  core::Failure failure;
  if (!file.open(*collector->spill_options_->directory, collector->stream_ == 1 ? "stdout" : "stderr", failure)) {
    set_facts({SpillFacts::State::failed, {}, std::move(failure)});
    return false;
  }
  const core::TailRing::Snapshot window = ring.read(0);
  for (const auto& span : window.spans()) {
    if (!store(span)) return false;
  }
  return true;
}

bool Collector::Pump::store_and_publish(std::size_t n) {
  core::TailRing& ring = collector->ring_;
  std::span<std::byte> spans[core::TailRing::kMaxSpans];
  const int count = ring.prepare(core::TailRing::kMaxPrepare, spans);  // the same memory that was just filled
  std::size_t left = n;
  bool stored = true;
  for (int i = 0; i < count && left > 0 && stored; i++) {
    const std::size_t take = left < spans[i].size() ? left : spans[i].size();
    stored = store(spans[i].first(take));
    left -= take;
  }
  // Published whatever became of the file: the tail is never lost.
  ring.publish(n);
  if (stored && !std::exchange(announced, true)) set_facts({SpillFacts::State::open, file.path(), {}});
  collector->published();
  return stored;
}

void Collector::Pump::run() {
  bool spilling = begin_file();
  bool ended = false;
  std::size_t after_stop = 0, taken = 0;
  collector->grow_pipe(pipe.get());
  if (spilling) {
    spilling = store_and_publish(pending);
  } else {
    collector->ring_.publish(pending);
    collector->published();
  }
  while (spilling && !ended) {
    bool eof = false;
    const ssize_t n = read_into(collector->ring_, pipe.get(), eof);
    if (n > 0) {
      spilling = store_and_publish(static_cast<std::size_t>(n));
      // Once told to stop, one pipe's worth at most: a holder that keeps writing must not keep us here.
      if (stopping.load(std::memory_order_acquire)) {
        after_stop += static_cast<std::size_t>(n);
        ended = after_stop >= static_cast<std::size_t>(kLargePipe);
        continue;
      }
      taken += static_cast<std::size_t>(n);
      if (static_cast<std::size_t>(n) >= core::Gather::kSmallRead) continue;
      // Small writes gather, as on the reactor; a waiting reader or the end of the range cuts it short.
      const std::uint64_t wait_us = collector->gather_.after(std::exchange(taken, 0), collector->pipe_capacity());
      if (wait_us == 0 || collector->watched()) continue;
      pollfd entry{stop.read.get(), POLLIN, 0};
      wait_for(entry, wait_us);
      continue;
    }
    ended = eof || n < 0 || stopping.load(std::memory_order_acquire);
    if (ended) break;
    pollfd entries[2] = {{pipe.get(), POLLIN, 0}, {stop.read.get(), POLLIN, 0}};
    ::poll(entries, 2, -1);
  }
  if (spilling) {
    core::Failure failure;
    const std::string path = file.path();
    if (file.close(failure)) {
      set_facts({SpillFacts::State::complete, path, {}});
    } else {
      give_up(SpillFacts::State::failed, std::move(failure));
    }
  }
  // Nothing of this object may be touched after the post: the reactor joins the thread and deletes it.
  const std::shared_ptr<Collector> owner = collector;
  owner->reactor_->post([owner, ended] {
    if (owner->pump_) owner->back_from_pump(std::move(owner->pump_), ended);
  });
}

Collector::Collector(std::uint64_t range, int stream, std::uint64_t max_bytes, std::optional<SpillOptions> spill,
                     std::shared_ptr<core::FactSink> sink)
    : range_(range),
      stream_(stream),
      ring_(max_bytes),
      spill_options_(std::move(spill)),
      sink_(std::move(sink)),
      watched_beyond_(kNobody) {}

Collector::~Collector() = default;

SpillFacts Collector::spill() const {
  std::lock_guard lock(mutex_);
  return spill_;
}

void Collector::watch(std::uint64_t beyond) {
  {
    std::lock_guard lock(mutex_);
    if (beyond < watched_beyond_) watched_beyond_ = beyond;
  }
  published();
}

bool Collector::watched() {
  std::lock_guard lock(mutex_);
  return watched_beyond_ != kNobody;
}

// After every publish and every watch(). Publishing comes before the lock in the producer and arming inside it in
// watch(), so whichever takes the lock second sees the other's doing: a watch can neither be missed nor fire twice.
void Collector::published() {
  {
    std::lock_guard lock(mutex_);
    if (watched_beyond_ == kNobody) return;
    if (ring_.total() <= watched_beyond_ && !ring_.sealed()) return;
    watched_beyond_ = kNobody;
  }
  auto fact = std::make_unique<core::Fact>();
  fact->range = range_;
  fact->kind = core::Fact::Kind::grew;
  fact->number = stream_;
  sink_->post(std::move(fact));
}

void Collector::start(Reactor& reactor, Fd pipe, std::function<void()> on_end) {
  reactor_ = &reactor;
  pipe_ = std::move(pipe);
  on_end_ = std::move(on_end);
  listen(true);
  if (watch_ == 0) end();  // ENOMEM or ENOSPC (max_user_watches): nothing can be collected, and nothing may hang
}

void Collector::listen(bool on) {
  // Hang-up is reported whatever is asked for, so a stream that gathers still notices its end at once.
  const std::uint32_t events = on ? static_cast<std::uint32_t>(Poller::kRead) : 0u;
  if (watch_ != 0) {
    reactor_->change(watch_, events);
    return;
  }
  watch_ = reactor_->watch(pipe_.get(), events, [this](std::uint32_t happened) {
    read_pipe((happened & Poller::kHangUp) != 0);
  });
}

void Collector::read_pipe(bool to_the_end) {
  const std::shared_ptr<Collector> self = shared_from_this();  // end() may drop the last other reference
  reactor_->cancel(std::exchange(gathering_, 0));
  std::size_t taken = 0;
  for (;;) {
    bool ended = false;
    const ssize_t result = read_into(ring_, pipe_.get(), ended);
    if (ended || result < 0) return end();
    if (result == 0) {
      listen(true);  // empty: whatever comes next is news
      return;
    }
    const auto n = static_cast<std::size_t>(result);
    if (spill_options_ && !spill_over_ && ring_.total() + n > ring_.max_bytes()) return hand_to_pump(n);
    ring_.publish(n);
    published();
    taken += n;
    if (n >= core::Gather::kSmallRead) grow_pipe(pipe_.get());
    if (to_the_end) continue;
    if (n < core::Gather::kSmallRead) return after_short_read(taken);
    if (taken >= kTurn) return listen(true);
  }
}

void Collector::after_short_read(std::size_t bytes) {
  // A pipe that fills up while it gathers stops its writer: a busy stream gets a larger one.
  if (bytes >= 4096) grow_pipe(pipe_.get());
  const std::uint64_t wait_us = gather_.after(bytes, pipe_capacity());
  if (wait_us == 0 || watched()) return listen(true);
  listen(false);
  gathering_ = reactor_->at(now_us() + wait_us, [this] {
    gathering_ = 0;
    // Read at once instead of being told first that there is something: a steady stream of lines then costs a wait and a
    // read for each millisecond, and an empty pipe is listened to again by read_pipe.
    read_pipe(false);
  });
}

std::size_t Collector::pipe_capacity() const {
  return static_cast<std::size_t>(pipe_size_ > 0 ? pipe_size_ : 65536);
}

void Collector::grow_pipe(int pipe) {
#ifdef F_SETPIPE_SZ
  if (pipe_size_ == 0) {
    pipe_size_ = ::fcntl(pipe, F_GETPIPE_SZ);
    if (pipe_size_ < 0) pipe_budget_ = false;
  }
  if (!pipe_budget_ || pipe_size_ >= kLargePipe) return;
  // EPERM: the user's pipe budget (pipe-user-pages-soft) or pipe-max-size is used up; the pipe works on as it is.
  const int size = ::fcntl(pipe, F_SETPIPE_SZ, kLargePipe);
  if (size < 0) {
    pipe_budget_ = false;
  } else {
    pipe_size_ = size;
  }
#else
  (void)pipe;  // the kernel enlarges pipes by itself, to 64 KiB
#endif
}

void Collector::hurry() {
  if (gathering_ == 0 || pump_) return;
  read_pipe(false);
}

void Collector::close() {
  if (pump_) {
    pump_->stopping.store(true, std::memory_order_release);
    pump_->stop.write.reset();
    return;
  }
  if (!pipe_) return;
  // One pipe's worth at most: a holder that keeps writing must not keep us here.
  std::size_t taken = 0;
  while (taken < static_cast<std::size_t>(kLargePipe)) {
    bool ended = false;
    const ssize_t n = read_into(ring_, pipe_.get(), ended);
    if (n <= 0) break;
    if (spill_options_ && !spill_over_ && ring_.total() + static_cast<std::uint64_t>(n) > ring_.max_bytes()) {
      hand_to_pump(static_cast<std::size_t>(n));
      if (pump_) return close();
    } else {
      ring_.publish(static_cast<std::size_t>(n));
    }
    taken += static_cast<std::size_t>(n);
  }
  end();
}

void Collector::abandon() {
  ring_.seal();
  published();
}

void Collector::end() {
  reactor_->cancel(std::exchange(gathering_, 0));
  reactor_->unwatch(std::exchange(watch_, 0));
  pipe_.reset();
  spill_over_ = true;
  ring_.seal();
  published();
  if (auto on_end = std::exchange(on_end_, nullptr)) on_end();
}

void Collector::hand_to_pump(std::size_t pending) {
  auto pump = std::make_unique<Pump>();
  pump->collector = shared_from_this();
  pump->pending = pending;
  int error = make_pipe(pump->stop);
  if (error == 0) {
    reactor_->cancel(std::exchange(gathering_, 0));
    reactor_->unwatch(std::exchange(watch_, 0));
    pump->pipe = std::move(pipe_);
    error = start_thread(pump->thread, &Pump::main, pump.get());
    if (error == 0) {
      pump_ = std::move(pump);
      return;
    }
    pipe_ = std::move(pump->pipe);
  }
  // No descriptor or no thread: the tail goes on without a file.
  spill_over_ = true;
  {
    std::lock_guard lock(mutex_);
    spill_ = {SpillFacts::State::failed, {}, {error, {}, core::Stage::spill, pump->stop.read ? "pthread_create" : "pipe2", {}}};
  }
  ring_.publish(pending);
  published();
  listen(true);
  if (watch_ == 0) end();
}

void Collector::back_from_pump(std::unique_ptr<Pump> pump, bool ended) {
  pthread_join(pump->thread, nullptr);
  pipe_ = std::move(pump->pipe);
  spill_over_ = true;
  if (ended || pump->stopping.load(std::memory_order_acquire)) return end();
  listen(true);
  if (watch_ == 0) end();
}

}  // namespace holdfast::posix
