#include "sd_bus.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "platform/posix/reactor.h"

namespace holdfast::linux_os {

using posix::now_us;

namespace {

// A path as part of a D-Bus address: other characters than these are written as %xx.
std::string escaped(const std::string& path) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (const char c : path) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || strchr("-_/.\\*", c) != nullptr;
    if (plain) {
      out += c;
    } else {
      out += '%';
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[static_cast<unsigned char>(c) & 15];
    }
  }
  return out;
}

template <typename F>
bool find(void* handle, const char* name, F& function, std::string& why) {
  function = reinterpret_cast<F>(::dlsym(handle, name));
  if (function == nullptr && why.empty()) why = std::string("libsystemd.so.0 has no ") + name;
  return function != nullptr;
}

bool load_into(SdBusLibrary& to, std::string& why) {
  void* const handle = ::dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const error = ::dlerror();
    why = error != nullptr ? error : "libsystemd.so.0 cannot be loaded";
    return false;
  }
  const bool all = find(handle, "sd_bus_new", to.make, why) && find(handle, "sd_bus_set_address", to.set_address, why) &&
                   find(handle, "sd_bus_set_bus_client", to.set_bus_client, why) && find(handle, "sd_bus_start", to.start, why) &&
                   find(handle, "sd_bus_process", to.process, why) && find(handle, "sd_bus_wait", to.wait, why) &&
                   find(handle, "sd_bus_close", to.close, why) && find(handle, "sd_bus_unref", to.unref, why) &&
                   find(handle, "sd_bus_add_filter", to.add_filter, why) && find(handle, "sd_bus_call_async", to.call_async, why) &&
                   find(handle, "sd_bus_slot_unref", to.slot_unref, why) &&
                   find(handle, "sd_bus_message_new_method_call", to.message_new_method_call, why) &&
                   find(handle, "sd_bus_message_append", to.message_append, why) &&
                   find(handle, "sd_bus_message_read", to.message_read, why) &&
                   find(handle, "sd_bus_message_enter_container", to.message_enter_container, why) &&
                   find(handle, "sd_bus_message_at_end", to.message_at_end, why) &&
                   find(handle, "sd_bus_message_get_error", to.message_get_error, why) &&
                   find(handle, "sd_bus_message_is_signal", to.message_is_signal, why) &&
                   find(handle, "sd_bus_message_unref", to.message_unref, why);
  if (!all) ::dlclose(handle);
  return all;
}

}  // namespace

const SdBusLibrary* SdBusLibrary::load(std::string& why) {
  static SdBusLibrary library;
  static std::string problem;
  static const bool loaded = load_into(library, problem);
  why = problem;
  return loaded ? &library : nullptr;
}

std::unique_ptr<Bus> Bus::connect(const std::string& socket_path, Refusal& refusal) {
  std::string why;
  const SdBusLibrary* const library = SdBusLibrary::load(why);
  if (library == nullptr) {
    refusal.add(why);
    return nullptr;
  }
  SdBusHandle* handle = nullptr;
  int result = library->make(&handle);
  if (result < 0) {
    refusal.add("sd_bus_new", -result);
    return nullptr;
  }
  std::unique_ptr<Bus> bus(new Bus(*library, handle));
  const auto hear = [](SdBusMessage* message, void* self, SdBusError*) {
    if (static_cast<Bus*>(self)->heard_) static_cast<Bus*>(self)->heard_(message);
    return 0;
  };
  result = library->set_address(handle, ("unix:path=" + escaped(socket_path)).c_str());
  if (result >= 0) result = library->set_bus_client(handle, 1);
  if (result >= 0) result = library->add_filter(handle, nullptr, hear, bus.get());
  if (result >= 0) result = library->start(handle);
  if (result >= 0) return bus;
  refusal.add("connecting to " + socket_path, -result);
  return nullptr;
}

Bus::~Bus() {
  library_.close(handle_);
  library_.unref(handle_);
}

int Bus::run_until(const std::function<bool()>& reached, int timeout_ms) {
  const std::uint64_t end = now_us() + static_cast<std::uint64_t>(timeout_ms) * 1000;
  while (!reached()) {
    const int processed = library_.process(handle_, nullptr);
    if (processed < 0) return -processed;
    if (processed > 0) continue;
    const std::uint64_t now = now_us();
    if (now >= end) return ETIMEDOUT;
    const int waited = library_.wait(handle_, end - now);
    if (waited < 0 && waited != -EINTR) return -waited;
  }
  return 0;
}

bool Bus::call(const BusTarget& target, const Fill& fill, const Use& use, int timeout_ms, Refusal& refusal) {
  struct Pending {
    const SdBusLibrary& library;
    const Use& use;
    bool replied = false;
    std::string problem;
  } pending{library_, use, false, {}};
  const auto take = [](SdBusMessage* reply, void* data, SdBusError*) {
    auto& waiting = *static_cast<Pending*>(data);
    waiting.replied = true;
    if (const SdBusError* error = waiting.library.message_get_error(reply)) {
      waiting.problem = error->message != nullptr ? error->message : error->name;
    } else if (waiting.use) {
      waiting.use(reply);
    }
    return 0;
  };

  SdBusMessage* message = nullptr;
  SdBusSlot* slot = nullptr;
  int result = library_.message_new_method_call(handle_, &message, target.destination, target.path, target.interface, target.member);
  if (result >= 0 && fill) result = fill(message);
  if (result >= 0) result = library_.call_async(handle_, &slot, message, take, &pending, static_cast<std::uint64_t>(timeout_ms) * 2000);
  if (result >= 0) result = -run_until([&pending] { return pending.replied; }, timeout_ms);
  if (slot != nullptr) library_.slot_unref(slot);  // no reply comes to `pending` any more
  if (message != nullptr) library_.message_unref(message);
  const std::string name = std::string(target.destination) + " " + target.member;
  if (result == -ETIMEDOUT) {
    refusal.add(name + " was not answered within " + std::to_string(timeout_ms) + " ms");
  } else if (result < 0) {
    refusal.add(name, -result);
  } else if (!pending.problem.empty()) {
    refusal.add(name + ": " + pending.problem);
  } else {
    return true;
  }
  return false;
}

}  // namespace holdfast::linux_os
