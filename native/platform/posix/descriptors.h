// Descriptors with an owner. Everything made here is close-on-exec from the first moment.
#pragma once
#include <unistd.h>

#include <utility>

namespace holdfast::posix {

/// Owns one descriptor; -1 is none. close(2) is called once and never retried: on Linux the descriptor is gone even
/// when it answers EINTR, and a second close could hit somebody else's file.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  ~Fd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

struct Pipe {
  Fd read, write;
};

/// Each returns 0 or an errno.
int make_pipe(Pipe& out);
int make_socket_pair(int type, Fd& ours, Fd& theirs);
int open_null(int flags, Fd& out);
int duplicate(int fd, Fd& out);
int set_nonblocking(int fd);
/// For our end of a pipe that we write to. macOS sends SIGPIPE to the process and not to the thread that writes, so that it
/// is no help to have blocked it there.
int never_sigpipe(int fd);

/// The descriptor that a child gets for the host's own `fd` ("inherit"). A FIFO or a terminal is opened again, so that
/// the child has an open file description of its own: the host may have O_NONBLOCK on its one, and the child must not
/// be able to change the host's. Anything else is shared, as Node does it. `flags`: O_RDONLY or O_WRONLY.
int inherit(int fd, int flags, Fd& out);

}  // namespace holdfast::posix
