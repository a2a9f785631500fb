// One connection to a D-Bus by libsystemd, which is loaded when it is first needed: the addon must load where there is
// none. Nothing here waits longer than it is told to; the library's own synchronous calls would.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "refusal.h"

namespace holdfast::linux_os {

/// Types of <systemd/sd-bus.h>, which is not needed to build.
struct SdBusHandle;
struct SdBusMessage;
struct SdBusSlot;
struct SdBusError {
  const char* name;
  const char* message;
  int need_free;
};

/// The functions that are used, by their names without `sd_bus_`.
struct SdBusLibrary {
  using Callback = int (*)(SdBusMessage*, void*, SdBusError*);
  int (*make)(SdBusHandle**);  // sd_bus_new
  int (*set_address)(SdBusHandle*, const char*);
  int (*set_bus_client)(SdBusHandle*, int);
  int (*start)(SdBusHandle*);
  int (*process)(SdBusHandle*, SdBusMessage**);
  int (*wait)(SdBusHandle*, std::uint64_t);
  void (*close)(SdBusHandle*);
  SdBusHandle* (*unref)(SdBusHandle*);
  int (*add_filter)(SdBusHandle*, SdBusSlot**, Callback, void*);
  int (*call_async)(SdBusHandle*, SdBusSlot**, SdBusMessage*, Callback, void*, std::uint64_t);
  SdBusSlot* (*slot_unref)(SdBusSlot*);
  int (*message_new_method_call)(SdBusHandle*, SdBusMessage**, const char*, const char*, const char*, const char*);
  int (*message_append)(SdBusMessage*, const char*, ...);
  int (*message_read)(SdBusMessage*, const char*, ...);
  int (*message_enter_container)(SdBusMessage*, char, const char*);
  int (*message_at_end)(SdBusMessage*, int);
  const SdBusError* (*message_get_error)(SdBusMessage*);
  int (*message_is_signal)(SdBusMessage*, const char*, const char*);
  SdBusMessage* (*message_unref)(SdBusMessage*);

  /// Null: `why` says what is missing. Once loaded it stays.
  static const SdBusLibrary* load(std::string& why);
};

/// Where a call goes.
struct BusTarget {
  const char* destination;
  const char* path;
  const char* interface;
  const char* member;
};

class Bus {
 public:
  using Fill = std::function<int(SdBusMessage*)>;  // appends the arguments; negative: an errno
  using Use = std::function<void(SdBusMessage*)>;

  /// Begins to connect to a bus's socket; the first call waits for it. Null: `refusal` says why.
  static std::unique_ptr<Bus> connect(const std::string& socket_path, Refusal& refusal);
  ~Bus();
  Bus(const Bus&) = delete;

  const SdBusLibrary& library() const { return library_; }
  /// Told of every message that comes while somebody waits.
  void listen(Use heard) { heard_ = std::move(heard); }

  /// Calls and waits for the reply. False: an error, or no reply in time; `refusal` names the call.
  bool call(const BusTarget& target, const Fill& fill, const Use& use, int timeout_ms, Refusal& refusal);
  /// Processes messages until `reached`. 0 or an errno; ETIMEDOUT.
  int run_until(const std::function<bool()>& reached, int timeout_ms);

 private:
  Bus(const SdBusLibrary& library, SdBusHandle* handle) : library_(library), handle_(handle) {}

  const SdBusLibrary& library_;
  SdBusHandle* const handle_;
  Use heard_;
};

}  // namespace holdfast::linux_os
