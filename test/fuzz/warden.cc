// What the warden takes from its host: packets of any length and content with any descriptors. What it accepts agrees with
// its header, no descriptor is kept that was not handed on, and a real warden that got the same still answers.
#include <fuzzer/FuzzedDataProvider.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "fuzz.h"
#include "warden/channel.h"

using namespace holdfast::warden;

namespace {

int count_descriptors() {
  int open = 0;
  for (int fd = 0; fd < 64; fd++) open += ::fcntl(fd, F_GETFD) >= 0;
  return open;
}

void send_packet(int socket, const std::string& bytes, int descriptors) {
  struct iovec vector = {const_cast<char*>(bytes.data()), bytes.size()};
  struct msghdr message = {};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  alignas(struct cmsghdr) char control[CMSG_SPACE(16 * sizeof(int))] = {};
  if (descriptors > 0) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(static_cast<std::size_t>(descriptors) * sizeof(int));
    struct cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(static_cast<std::size_t>(descriptors) * sizeof(int));
    static const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    int numbers[16];
    for (int& number : numbers) number = null;
    std::memcpy(CMSG_DATA(head), numbers, static_cast<std::size_t>(descriptors) * sizeof(int));
  }
  ::sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/// A warden as it is shipped (HOLDFAST_WARDEN_BINARY), one for the whole run. It ends with us: its channel is at its end then.
class Warden {
 public:
  Warden() {
    const char* const path = std::getenv("HOLDFAST_WARDEN_BINARY");
    if (path == nullptr) return;
    int ends[2];
    PROMISE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], kChannelFd);
    char name[] = "holdfast-warden";
    char* const arguments[] = {name, nullptr};
    char* const none[] = {nullptr};
    PROMISE(::posix_spawn(&pid_, path, &actions, nullptr, arguments, none) == 0);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    channel_ = ends[0];
  }
  bool there() const { return channel_ >= 0; }
  void send(const std::string& bytes, int descriptors) const { send_packet(channel_, bytes, descriptors); }
  /// Whether it answers a ping; what it has said before is thrown away.
  bool answers() const {
    const Header ping = {Kind::ping, 0, sizeof(Header), 0};
    struct pollfd ready = {channel_, POLLOUT, 0};
    if (::poll(&ready, 1, 10'000) != 1 || ::send(channel_, &ping, sizeof ping, MSG_NOSIGNAL) != sizeof ping) return false;
    for (;;) {
      alignas(8) char bytes[8192];
      ready = {channel_, POLLIN, 0};
      if (::poll(&ready, 1, 10'000) != 1) return false;
      const ssize_t size = ::recv(channel_, bytes, sizeof bytes, 0);
      if (size <= 0) return false;
      Header header;
      std::memcpy(&header, bytes, sizeof header);
      if (header.kind == Kind::pong) return true;
    }
  }

 private:
  pid_t pid_ = -1;
  int channel_ = -1;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const Warden warden;
  static int ends[2] = {-1, -1};
  if (ends[0] < 0) PROMISE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  send_packet(ends[0], "x", 1);  // opens what it sends, once
  Incoming first;
  PROMISE(receive(ends[1], first) == Received::malformed);
  const int before = count_descriptors();
  FuzzedDataProvider input(bytes, size);
  static unsigned runs = 0;
  // To the real one only now and then: a question takes as long as a thousand packets here.
  const bool real = warden.there() && ++runs % 64 == 0;
  for (int packets = 0; packets < 4 && input.remaining_bytes() > 0; packets++) {
    const int descriptors = input.ConsumeIntegralInRange(0, 9);
    std::string packet = input.ConsumeRandomLengthString(5000);
    if (input.ConsumeBool() && packet.size() >= sizeof(Header)) {  // an honest length, or all would be dropped for it
      const auto length = static_cast<std::uint32_t>(packet.size());
      std::memcpy(packet.data() + offsetof(Header, size), &length, sizeof length);
    }
    if (packet.empty()) continue;
    send_packet(ends[0], packet, descriptors);
    Incoming message;
    const Received received = receive(ends[1], message);
    if (received == Received::message) {
      PROMISE(message.header.size == packet.size() && packet.size() <= sizeof message.bytes);
      PROMISE(message.fd_count <= kMaxFds && (message.fds_lost || message.fd_count == descriptors));
      PROMISE(std::memcmp(message.bytes, packet.data(), packet.size()) == 0);
      (void)message.as<LaunchRequest>();
      message.close_fds();
    }
    PROMISE(received != Received::gone);
    PROMISE(count_descriptors() == before);
    if (real) warden.send(packet, descriptors);
  }
  if (real) PROMISE(warden.answers());
  return 0;
}
