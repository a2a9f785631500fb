// The host's side of one terminal: from the master into a bounded queue for JavaScript, and from JavaScript into the
// master. Owns the master from its opening until nobody is left on the terminal.
//
// The end of the output is the exit of the top-level process and not the hang-up: a program may close the terminal and
// work on, or leave a member behind that keeps it open. See docs/design/terminal-exit-order.md.
#pragma once
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "core/fact_sink.h"
#include "pty.h"
#include "reactor.h"
#include "tty_wait.h"

namespace holdfast::posix {

class Terminal : public std::enable_shared_from_this<Terminal> {
 public:
  Terminal(std::uint64_t range, TerminalSize size, std::shared_ptr<core::FactSink> sink)
      : range_(range), size_(size), sink_(std::move(sink)) {}

  /// Bytes of output, oldest first.
  struct Chunk {
    static constexpr std::size_t kSize = 64 * 1024;
    std::size_t used = 0;
    char bytes[kSize];
  };

  // --- launch thread ---
  /// 0, or an errno and what failed in `syscall`. `slave` is for the command alone.
  int open(Fd& slave, const char*& syscall);
  /// Of the slave. Known after open(), and then never changed.
  const TtyIdentity& identity() const { return identity_; }
  /// Where an owner has to open the slave by name.
  std::string path() const;

  // --- any thread ---
  /// The oldest output. Null with `ended` false: none yet, and one `grew` fact follows when there is.
  std::unique_ptr<Chunk> take(bool& ended);
  /// A chunk that take() gave and that is not needed any more.
  void give_back(std::unique_ptr<Chunk> chunk);
  /// Never blocks. 0: everything was handed over; EAGAIN: a `wrote` fact that counts `until` bytes or more follows when it
  /// was, or none if the terminal goes before; another errno: it will not be (EBADF: the top-level process has exited).
  int write(std::string text, std::uint64_t& until);
  /// 0 or an errno; EBADF after the exit of the top-level process.
  int resize(TerminalSize size);
  int foreground(pid_t& group) const;

  // --- reactor thread ---
  void start(Reactor& reactor);
  /// The top-level process has exited: what it has left in the kernel's queue is taken, then the output ends.
  void exited();
  /// Nobody of the range is left, or nobody will come: the master goes. Before start() on any thread.
  void close();

 private:
  void on_event();
  void read_output();
  enum class Read { more, empty, hung_up, full };
  Read fill(Chunk& chunk, std::size_t limit, bool to_the_bottom);
  std::unique_ptr<Chunk> chunk_to_fill(bool beyond_the_limit);
  void publish(std::unique_ptr<Chunk> chunk, bool ended);
  void tell();
  void discard();
  void flush_input();
  void post(core::Fact::Kind kind, std::uint64_t number, int error = 0);

  const std::uint64_t range_;
  const TerminalSize size_;
  const std::shared_ptr<core::FactSink> sink_;

  TtyIdentity identity_;

  mutable std::mutex master_mutex_;  // between use of the descriptor anywhere and its closing; guards the input too
  Fd master_;
  bool takes_input_ = false;
  struct Input {
    std::string text;
    std::size_t written = 0;
  };
  std::deque<Input> input_;           // not handed over yet
  std::uint64_t input_accepted_ = 0;  // bytes given to write() so far
  std::uint64_t input_written_ = 0;   // of these, bytes handed over or given up

  std::mutex output_mutex_;
  std::deque<std::unique_ptr<Chunk>> output_;
  std::unique_ptr<Chunk> spare_;
  bool wanted_ = false;  // somebody waits for `grew`
  bool answer_ = false;  // something was typed since the last `grew`
  bool full_ = false;    // reading has paused until somebody takes
  bool ended_ = false;

  Reactor* reactor_ = nullptr;
  Reactor::WatchId watch_ = 0;
  bool read_posted_ = false;
  std::uint64_t told_us_ = 0;  // time of the last `grew`
  Reactor::TimerId telling_ = 0;
};

}  // namespace holdfast::posix
