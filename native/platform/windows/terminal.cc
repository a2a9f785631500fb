#include "terminal.h"

#include <errno.h>

#include <algorithm>
#include <cstring>

namespace holdfast::windows {

namespace {

/// Output that waits for JavaScript before the console is read no further, and programs wait as on any slow terminal.
constexpr std::size_t kMostChunks = 4;
/// Output that has not come for this long after the exit of the top-level process will not come.
constexpr std::uint64_t kQuietMs = 100;
/// A console that was closed and whose output does not end is left to the system.
constexpr std::uint64_t kClosingMs = 5000;

}  // namespace

DWORD Terminal::open(Reactor& reactor, const char*& call) {
  reactor_ = &reactor;
  std::lock_guard lock(console_mutex_);
  if (const DWORD error = console_.open(size_, to_console_, from_console_, call)) return error;
  call = "CreateIoCompletionPort";
  const DWORD error = reactor.add_file(to_console_.get());
  return error != 0 ? error : reactor.add_file(from_console_.get());
}

void Terminal::start(DWORD process, std::function<void()> on_end) {
  on_end_ = std::move(on_end);
  {
    std::lock_guard lock(console_mutex_);
    process_ = process;
    takes_input_ = true;
  }
  reading_.bytes.resize(Chunk::kSize);
  read_next();
}

// --- output ---

void Terminal::read_next() {
  if (reading_.owner || !from_console_) return;
  {
    // After the exit everything is taken, so that the end depends on nobody who reads.
    std::lock_guard lock(output_mutex_);
    full_ = !exited_ && output_.size() >= kMostChunks;
    if (full_) return;
  }
  static_cast<OVERLAPPED&>(reading_) = {};
  reading_.file = from_console_.get();
  reading_.owner = shared_from_this();
  if (::ReadFile(from_console_.get(), reading_.bytes.data(), static_cast<DWORD>(reading_.bytes.size()), nullptr, &reading_)) return;
  if (::GetLastError() == ERROR_IO_PENDING) return;
  const std::shared_ptr<Terminal> self = std::move(reading_.owner);
  from_console_.reset();
  end_output();
}

void Terminal::Reading::complete(DWORD count, DWORD error) {
  const std::shared_ptr<Terminal> terminal = std::move(owner);
  terminal->received(count, error);
}

void Terminal::received(DWORD bytes, DWORD error) {
  if (error != ERROR_SUCCESS) {
    from_console_.reset();
    return end_output();
  }
  if (append(reading_.bytes.data(), bytes)) post(core::Fact::Kind::grew, 1);
  if (exited_ && !closing_) end_when_quiet();
  read_next();
}

// True: somebody waits for it.
bool Terminal::append(const char* bytes, std::size_t size) {
  std::lock_guard lock(output_mutex_);
  if (ended_) return false;  // written by somebody who has outlived the top-level process
  while (size > 0) {
    if (output_.empty() || output_.back()->used == Chunk::kSize) output_.push_back(std::make_unique_for_overwrite<Chunk>());
    Chunk& newest = *output_.back();
    const std::size_t fits = std::min(size, Chunk::kSize - newest.used);
    std::memcpy(newest.bytes + newest.used, bytes, fits);
    newest.used += fits;
    bytes += fits;
    size -= fits;
  }
  return !output_.empty() && std::exchange(wanted_, false);
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
  if (was_full) reactor_->post([self = shared_from_this()] { self->read_next(); });
  return oldest;
}

// --- input ---

int Terminal::write(std::string text, std::uint64_t& until) {
  until = 0;
  {
    std::lock_guard lock(console_mutex_);
    if (!takes_input_) return EBADF;
    if (text.empty()) return 0;
    input_accepted_ += text.size();
    until = input_accepted_;
    input_.push_back(std::move(text));
  }
  reactor_->post([self = shared_from_this()] { self->write_next(); });
  return EAGAIN;
}

void Terminal::write_next() {
  if (writing_.owner || !to_console_) return;
  if (writing_.written == writing_.text.size()) {
    std::lock_guard lock(console_mutex_);
    if (input_.empty()) return;
    writing_.text = std::move(input_.front());
    writing_.written = 0;
    input_.pop_front();
  }
  static_cast<OVERLAPPED&>(writing_) = {};
  writing_.file = to_console_.get();
  writing_.owner = shared_from_this();
  const auto want = static_cast<DWORD>(std::min<std::size_t>(writing_.text.size() - writing_.written, 1u << 16));
  if (::WriteFile(to_console_.get(), writing_.text.data() + writing_.written, want, nullptr, &writing_)) return;
  const DWORD error = ::GetLastError();
  if (error == ERROR_IO_PENDING) return;
  const std::shared_ptr<Terminal> self = std::move(writing_.owner);
  wrote(0, error);
}

void Terminal::Writing::complete(DWORD count, DWORD error) {
  const std::shared_ptr<Terminal> terminal = std::move(owner);
  terminal->wrote(count, error);
}

void Terminal::wrote(DWORD bytes, DWORD error) {
  writing_.written += bytes;
  input_written_ += bytes;
  if (error != ERROR_SUCCESS) {
    to_console_.reset();
    std::uint64_t total;
    {
      std::lock_guard lock(console_mutex_);
      takes_input_ = false;
      input_.clear();
      total = input_accepted_;
    }
    if (!exited_) post(core::Fact::Kind::wrote, total, errno_of(error));
    return finish();
  }
  if (writing_.written == writing_.text.size()) post(core::Fact::Kind::wrote, input_written_);
  write_next();
}

int Terminal::resize(TerminalSize size) {
  std::lock_guard lock(console_mutex_);
  if (!takes_input_ || console_.get() == nullptr) return EBADF;
  return errno_of(console_.resize(size));
}

DWORD Terminal::process() const {
  std::lock_guard lock(console_mutex_);
  return takes_input_ ? process_ : 0;
}

// --- the end ---

void Terminal::exited(bool alone) {
  if (exited_) return;
  exited_ = true;
  {
    std::lock_guard lock(console_mutex_);
    takes_input_ = false;
    input_.clear();
  }
  if (alone) {
    close_console();
  } else {
    end_when_quiet();
  }
  read_next();
}

void Terminal::end_when_quiet() {
  reactor_->cancel(std::exchange(ending_, 0));
  ending_ = reactor_->at(now_ms() + kQuietMs, [self = shared_from_this()] {
    self->ending_ = 0;
    self->end_output();
  });
}

void Terminal::hang_up() {
  std::lock_guard lock(console_mutex_);
  console_.close();
}

void Terminal::close() {
  if (!on_end_) {  // it was never started, or it is over
    {
      std::lock_guard lock(console_mutex_);
      takes_input_ = false;
      console_.close();
    }
    from_console_.reset();
    return end_output();
  }
  exited(true);
  close_console();
}

void Terminal::close_console() {
  if (std::exchange(closing_, true)) return;
  hang_up();
  reactor_->cancel(std::exchange(ending_, 0));
  ending_ = reactor_->at(now_ms() + kClosingMs, [self = shared_from_this()] {
    self->ending_ = 0;
    if (self->from_console_) ::CancelIoEx(self->from_console_.get(), nullptr);
  });
}

void Terminal::end_output() {
  bool tell = false;
  {
    std::lock_guard lock(output_mutex_);
    ended_ = true;
    full_ = false;
    tell = std::exchange(wanted_, false);
  }
  if (tell) post(core::Fact::Kind::grew, 1);
  read_next();  // of what comes later nothing is kept, but whoever writes it must not wait for ever
  finish();
}

// Over when both directions are at rest for good.
void Terminal::finish() {
  if (over_ || from_console_ || reading_.owner) return;
  if (writing_.owner) {
    ::CancelIoEx(to_console_.get(), &writing_);
    return;
  }
  over_ = true;
  to_console_.reset();
  if (reactor_ != nullptr) reactor_->cancel(std::exchange(ending_, 0));
  if (auto done = std::exchange(on_end_, nullptr)) done();
}

void Terminal::post(core::Fact::Kind kind, std::uint64_t number, int error) {
  auto fact = std::make_unique<core::Fact>();
  fact->range = range_;
  fact->kind = kind;
  fact->number = static_cast<std::int64_t>(number);
  fact->second = error;
  sink_->post(std::move(fact));
}

}  // namespace holdfast::windows
