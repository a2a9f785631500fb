#include "channel.h"

#include "descriptors.h"
#include "sys.h"

namespace holdfast::warden {

namespace {

constexpr size_t kAlignment = sizeof(size_t);
constexpr size_t kHead = (sizeof(sys::ControlHead) + kAlignment - 1) & ~(kAlignment - 1);
// Room for exactly kMaxFds: what is beyond them the kernel closes by itself and says MSG_CTRUNC.
constexpr size_t kControlSize = kHead + kMaxFds * sizeof(int);

void take_fds(const unsigned char* control, size_t size, Incoming& message) {
  size_t at = 0;
  while (at + kHead <= size) {
    sys::ControlHead head;
    __builtin_memcpy(&head, control + at, sizeof head);
    if (head.length < kHead || head.length > size - at) return;
    if (head.level == SOL_SOCKET && head.type == sys::kScmRights) {
      for (size_t fd = kHead; fd + sizeof(int) <= head.length; fd += sizeof(int)) {
        int number;
        __builtin_memcpy(&number, control + at + fd, sizeof number);
        if (message.fd_count < kMaxFds) {
          message.fds[message.fd_count++] = number;
        } else {
          sys::close(number);
          message.fds_lost = true;
        }
      }
    }
    at += (head.length + kAlignment - 1) & ~(kAlignment - 1);
  }
}

// The socket stays ready while the kernel has no memory, so that a level-triggered loop would spin: wait a moment.
bool short_of_memory(long error) {
  if (error != -ENOMEM && error != -ENOBUFS) return false;
  sys::sleep_us(1000);
  return true;
}

}  // namespace

void Incoming::close_fds() {
  for (int i = 0; i < fd_count; ++i) sys::close(fds[i]);
  fd_count = 0;
}

Received receive(int fd, Incoming& message) {
  message.fd_count = 0;
  message.fds_lost = false;
  struct iovec vector = {message.bytes, sizeof message.bytes};
  alignas(8) unsigned char control[kControlSize];
  sys::Message header = {};
  header.vector = &vector;
  header.vector_length = 1;
  header.control = control;
  header.control_length = sizeof control;

  long size;
  do size = sys::call(__NR_recvmsg, fd, &header, sys::kMsgDontwait | sys::kMsgCmsgCloexec);
  while (size == -EINTR);
  if (size == -EAGAIN) return Received::nothing;
  if (short_of_memory(size)) return Received::nothing;
  if (size < 0) return Received::gone;
  take_fds(control, header.control_length, message);
  if ((header.flags & sys::kMsgCtrunc) != 0) message.fds_lost = true;
  // A packet of no bytes and the end of the socket look the same; the protocol has no empty packet.
  if (size == 0) {
    message.close_fds();
    return Received::gone;
  }
  const auto length = static_cast<size_t>(size);
  if (length >= sizeof(Header)) __builtin_memcpy(&message.header, message.bytes, sizeof(Header));
  if (length < sizeof(Header) || (header.flags & sys::kMsgTrunc) != 0 || message.header.size != length) {
    message.close_fds();
    return Received::malformed;
  }
  return Received::message;
}

Sent send(int fd, const void* message, size_t size) {
  if (fd < 0) return Sent::gone;
  struct iovec vector = {const_cast<void*>(message), size};
  sys::Message header = {};
  header.vector = &vector;
  header.vector_length = 1;
  long done;
  do done = sys::call(__NR_sendmsg, fd, &header, sys::kMsgDontwait | sys::kMsgNosignal);
  while (done == -EINTR);
  if (done >= 0) return Sent::done;
  return done == -EAGAIN || short_of_memory(done) ? Sent::full : Sent::gone;
}

}  // namespace holdfast::warden
