// The host's side of one terminal: from the pseudo console into a bounded queue for JavaScript, and from JavaScript into the
// pseudo console.
//
// The end of the output follows the exit of the top-level process. What it has written may still be on its way through the
// console then, and only a console that is closed says when it has given everything. So it is closed where nobody else is on
// it. Where somebody is, closing would end him, and the output ends when it has been quiet for a moment.
#pragma once
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/fact_sink.h"
#include "pseudo_console.h"
#include "reactor.h"

namespace holdfast::windows {

class Terminal : public std::enable_shared_from_this<Terminal> {
 public:
  Terminal(std::uint64_t range, TerminalSize size, std::shared_ptr<core::FactSink> sink) : range_(range), size_(size), sink_(std::move(sink)) {}

  /// Bytes of output, oldest first.
  struct Chunk {
    static constexpr std::size_t kSize = 64 * 1024;
    std::size_t used = 0;
    char bytes[kSize];
  };

  // --- launch thread ---
  /// 0, or a Windows error and what failed in `call`.
  DWORD open(Reactor& reactor, const char*& call);
  /// What the command is born on.
  void* console() const { return console_.get(); }

  // --- any thread ---
  /// The oldest output. Null with `ended` false: none yet, and one `grew` fact follows when there is.
  std::unique_ptr<Chunk> take(bool& ended);
  /// A chunk that take() gave and that is not needed any more.
  void give_back(std::unique_ptr<Chunk>) {}
  /// Never blocks. EAGAIN: a `wrote` fact that counts `until` bytes or more follows when the console has it, or none if the
  /// terminal goes before; EBADF: the top-level process has exited.
  int write(std::string text, std::uint64_t& until);
  /// 0 or an errno; EBADF after the exit of the top-level process.
  int resize(TerminalSize size);
  /// The top-level process while it runs, else 0.
  DWORD process() const;

  // --- reactor thread ---
  /// `on_end` is called once, after the output has ended and nothing is under way any more.
  void start(DWORD process, std::function<void()> on_end);
  /// The top-level process has exited; `alone`: nobody else of the range is left.
  void exited(bool alone);
  /// Who is on the terminal is told that it closes.
  void hang_up();
  /// Nobody of the range is left, or nobody will come.
  void close();
  bool over() const { return over_; }

 private:
  struct Reading : Operation {
    void complete(DWORD bytes, DWORD error) override;
    std::shared_ptr<Terminal> owner;  // while the system may write into the bytes
    std::vector<char> bytes;
  };
  struct Writing : Operation {
    void complete(DWORD bytes, DWORD error) override;
    std::shared_ptr<Terminal> owner;  // while the system may read from the text
    std::string text;
    std::size_t written = 0;
  };

  void read_next();
  void received(DWORD bytes, DWORD error);
  bool append(const char* bytes, std::size_t size);
  void write_next();
  void wrote(DWORD bytes, DWORD error);
  void end_when_quiet();
  void end_output();
  void finish();
  void close_console();
  void post(core::Fact::Kind kind, std::uint64_t number, int error = 0);

  const std::uint64_t range_;
  const TerminalSize size_;
  const std::shared_ptr<core::FactSink> sink_;

  mutable std::mutex console_mutex_;  // guards what is between it and the next blank line
  PseudoConsole console_;
  DWORD process_ = 0;
  bool takes_input_ = false;
  std::deque<std::string> input_;     // not begun yet
  std::uint64_t input_accepted_ = 0;  // bytes given to write() so far

  std::mutex output_mutex_;  // the same
  std::deque<std::unique_ptr<Chunk>> output_;
  bool wanted_ = false;  // somebody waits for `grew`
  bool full_ = false;    // reading has paused until somebody takes
  bool ended_ = false;

  Reactor* reactor_ = nullptr;
  Handle to_console_, from_console_;
  Reading reading_;
  Writing writing_;
  std::uint64_t input_written_ = 0;
  std::function<void()> on_end_;
  bool closing_ = false, exited_ = false, over_ = false;
  Reactor::TimerId ending_ = 0;
};

}  // namespace holdfast::windows
