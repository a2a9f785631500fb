#include "collector.h"

#include <errno.h>

#include <limits>
#include <system_error>

namespace holdfast::windows {

namespace {

constexpr std::uint64_t kNobody = std::numeric_limits<std::uint64_t>::max();
/// What is taken at most once the collection was told to end: a holder that keeps writing must not keep us here.
constexpr std::size_t kAtTheEnd = 1024 * 1024;

}  // namespace

Collector::Collector(std::uint64_t range, int stream, std::uint64_t max_bytes, std::optional<SpillOptions> spill,
                     std::shared_ptr<core::FactSink> sink)
    : range_(range), stream_(stream), ring_(max_bytes), spill_options_(std::move(spill)), sink_(std::move(sink)), watched_beyond_(kNobody) {}

SpillFacts Collector::spill() const {
  std::lock_guard lock(mutex_);
  return spill_;
}

void Collector::set_spill(SpillFacts facts) {
  std::lock_guard lock(mutex_);
  spill_ = std::move(facts);
}

void Collector::watch(std::uint64_t beyond) {
  {
    std::lock_guard lock(mutex_);
    if (beyond < watched_beyond_) watched_beyond_ = beyond;
  }
  published();
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

void Collector::start(Reactor& reactor, Handle pipe, std::function<void()> on_end) {
  reactor_ = &reactor;
  pipe_ = std::move(pipe);
  on_end_ = std::move(on_end);
  next();
}

void Collector::next() {
  if (closing_) {
    DWORD there = 0;
    const bool known = ::PeekNamedPipe(pipe_.get(), nullptr, 0, nullptr, &there, nullptr) != 0;
    if (!known || there == 0 || taken_at_the_end_ >= kAtTheEnd) return end();
  }
  std::span<std::byte> spans[core::TailRing::kMaxSpans];
  ring_.prepare(core::TailRing::kMaxPrepare, spans);
  static_cast<OVERLAPPED&>(*this) = {};
  file = pipe_.get();
  reading_ = shared_from_this();
  // A read that succeeds at once reports to the port all the same.
  if (::ReadFile(pipe_.get(), spans[0].data(), static_cast<DWORD>(spans[0].size()), nullptr, this)) return;
  if (::GetLastError() == ERROR_IO_PENDING) return;
  const std::shared_ptr<Collector> self = std::move(reading_);
  end();  // ERROR_BROKEN_PIPE: the end of file
}

void Collector::complete(DWORD bytes, DWORD error) {
  const std::shared_ptr<Collector> self = std::move(reading_);
  if (bytes == 0) {
    // A write of nothing ends a read with nothing, and is no end of file; nor is it when close() has taken the read back.
    if (error == ERROR_SUCCESS || (error == ERROR_OPERATION_ABORTED && closing_)) return next();
    return end();
  }
  if (closing_) taken_at_the_end_ += bytes;
  if (!spill_options_ || spill_over_ || (!file_.is_open() && ring_.total() + bytes <= ring_.max_bytes())) {
    ring_.publish(bytes);
    published();
    return next();
  }
  try {
    writer_ = std::thread([self, bytes] {
      self->store(bytes);
      self->reactor_->post([self, bytes] { self->stored(bytes); });
    });
  } catch (const std::system_error&) {
    give_up(SpillFacts::State::failed, {EAGAIN, {}, core::Stage::spill, "CreateThread", {}});
    stored(bytes);
  }
}

// The writer's thread. Published by the reactor whatever has become of the file: the tail is never lost.
bool Collector::store(std::size_t bytes) {
  if (!file_.is_open()) {
    core::Failure failure;
    if (ring_.total() + bytes > spill_options_->max_bytes) return give_up(SpillFacts::State::discarded, {}), false;
    if (!file_.open(*spill_options_->directory, stream_ == 1 ? "stdout" : "stderr", failure)) {
      return give_up(SpillFacts::State::failed, std::move(failure)), false;
    }
    // The first overflow: the whole stream so far is still in the window.
    const core::TailRing::Snapshot window = ring_.read(0);
    for (const auto& span : window.spans()) {
      if (!append(span)) return false;
    }
  }
  std::span<std::byte> spans[core::TailRing::kMaxSpans];
  ring_.prepare(core::TailRing::kMaxPrepare, spans);  // the same memory that was just filled
  return append(spans[0].first(bytes));
}

bool Collector::append(std::span<const std::byte> bytes) {
  core::Failure failure;
  if (file_.size() + bytes.size() > spill_options_->max_bytes) return give_up(SpillFacts::State::discarded, {}), false;
  if (!file_.append(bytes, failure)) return give_up(SpillFacts::State::failed, std::move(failure)), false;
  return true;
}

void Collector::give_up(SpillFacts::State state, core::Failure failure) {
  spill_over_ = true;
  file_.discard();
  spill_options_->directory->remove_if_empty();
  set_spill({state, {}, std::move(failure)});
}

void Collector::stored(std::size_t bytes) {
  if (writer_.joinable()) writer_.join();
  ring_.publish(bytes);
  if (!spill_over_) set_spill({SpillFacts::State::open, file_.path(), {}});
  published();
  next();
}

void Collector::close() {
  if (!pipe_ || closing_) return;
  closing_ = true;
  // Nothing under way: the writer has the stream, and comes back to next().
  if (reading_) ::CancelIoEx(pipe_.get(), this);
}

void Collector::abandon() {
  ring_.seal();
  published();
}

void Collector::end() {
  pipe_.reset();
  if (file_.is_open() && !spill_over_) {
    const std::string path = file_.path();
    file_.close();
    set_spill({SpillFacts::State::complete, path, {}});
  }
  spill_over_ = true;
  ring_.seal();
  published();
  if (auto on_end = std::exchange(on_end_, nullptr)) on_end();
}

}  // namespace holdfast::windows
