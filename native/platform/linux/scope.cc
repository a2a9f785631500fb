#include "scope.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroup_path.h"
#include "sd_bus.h"

namespace holdfast::linux_os {

namespace {

constexpr int kAnswerMs = 1000;
/// A manager that has answered so far, and now waits for PID 1 in turn.
constexpr int kJobMs = 2000;
/// Whoever stops the scope (a logout) has our host stopped as well: what ignores its TERM does not get long.
constexpr std::uint64_t kStopUs = 500 * 1000;

constexpr const char* kDestination = "org.freedesktop.systemd1";
constexpr const char* kPath = "/org/freedesktop/systemd1";
constexpr const char* kManager = "org.freedesktop.systemd1.Manager";

// A JobRemoved signal for a unit.
struct Job {
  std::string unit;
  std::string result;  // "" until it has come
};

void hear_job(const SdBusLibrary& library, SdBusMessage* message, Job& job) {
  if (library.message_is_signal(message, kManager, "JobRemoved") <= 0) return;
  std::uint32_t id = 0;
  const char *path = nullptr, *unit = nullptr, *result = nullptr;
  if (library.message_read(message, "uoss", &id, &path, &unit, &result) >= 0 && job.unit == unit) job.result = result;
}

bool subscribe(Bus& bus, Refusal& refusal) {
  const SdBusLibrary& library = bus.library();
  const auto match = [&library](SdBusMessage* message) {
    return library.message_append(message, "s",
                                  "type='signal',sender='org.freedesktop.systemd1',path='/org/freedesktop/systemd1',"
                                  "interface='org.freedesktop.systemd1.Manager',member='JobRemoved'");
  };
  return bus.call({"org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch"}, match, {}, kAnswerMs, refusal) &&
         bus.call({kDestination, kPath, kManager, "Subscribe"}, {}, {}, kAnswerMs, refusal);
}

// The answer to the call only says that a job is queued, and "done" is also said where the manager has no say over the
// unified hierarchy (hybrid): the caller looks into /proc.
bool start_unit(Bus& bus, const std::string& unit, const std::string& slice, pid_t warden, Refusal& refusal) {
  const SdBusLibrary& library = bus.library();
  Job job{unit, {}};
  bus.listen([&](SdBusMessage* message) { hear_job(library, message, job); });
  const auto properties = [&](SdBusMessage* message) {
    return library.message_append(message, "ssa(sv)a(sa(sv))", unit.c_str(), "fail",
                                  6,  // properties
                                  "Description", "s", "Commands of a program that uses Holdfast",
                                  "Slice", "s", slice.c_str(),
                                  "Delegate", "b", 1,
                                  "CollectMode", "s", "inactive-or-failed",
                                  "TimeoutStopUSec", "t", kStopUs,
                                  "PIDs", "au", 1, static_cast<std::uint32_t>(warden),
                                  0);  // auxiliary units
  };
  const bool queued = bus.call({kDestination, kPath, kManager, "StartTransientUnit"}, properties, {}, kAnswerMs, refusal);
  const int error = queued ? bus.run_until([&job] { return !job.result.empty(); }, kJobMs) : 0;
  bus.listen({});
  if (!queued) return false;
  if (error == ETIMEDOUT) {
    refusal.add("the job of " + unit + " was not done within " + std::to_string(kJobMs) + " ms");
  } else if (error != 0) {
    refusal.add("waiting for " + unit, error);
  } else if (job.result != "done") {
    refusal.add("the job of " + unit + " ended as " + job.result);
  }
  return error == 0 && job.result == "done";
}

// "" where the process is not in the unit.
std::string verified_directory(pid_t warden, const std::string& unit, Refusal& refusal) {
  const std::string path = unified_path(warden, refusal);
  if (path.empty()) return {};
  if (!path.ends_with("/" + unit)) {
    refusal.add("systemd says that it has made " + unit + ", but /proc shows the process in " + path + " (a hybrid cgroup layout)");
    return {};
  }
  return cgroup_directory(path, refusal);
}

// A group with children cannot both have members and give them controllers, so the warden goes into a leaf like everybody.
bool move_to_leaf(const std::string& scope, pid_t warden, Refusal& refusal) {
  const std::string leaf = scope + "/warden";
  if (::mkdir(leaf.c_str(), 0755) != 0) {
    refusal.add("mkdir " + leaf, errno);
    return false;
  }
  posix::Fd procs(::open((leaf + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  const std::string pid = std::to_string(warden);
  if (procs && ::write(procs.get(), pid.data(), pid.size()) == static_cast<ssize_t>(pid.size())) return true;
  refusal.add(leaf + "/cgroup.procs", errno);
  return false;
}

// What is filtered of the network traffic of the host's unit: programs in the kernel, which no file shows.
std::string filtered_network(Bus& bus, const std::string& unit) {
  const bool scope = unit.ends_with(".scope");
  if (!scope && !unit.ends_with(".service")) return {};
  const SdBusLibrary& library = bus.library();
  std::string object;
  Refusal ignored;
  const auto of_self = [&](SdBusMessage* message) { return library.message_append(message, "u", static_cast<std::uint32_t>(::getpid())); };
  const auto take_path = [&](SdBusMessage* reply) {
    const char* path = nullptr;
    if (library.message_read(reply, "o", &path) >= 0) object = path;
  };
  if (!bus.call({kDestination, kPath, kManager, "GetUnitByPID"}, of_self, take_path, kAnswerMs, ignored)) return {};
  bool denies = false;
  const auto property = [&](SdBusMessage* message) {
    return library.message_append(message, "ss", scope ? "org.freedesktop.systemd1.Scope" : "org.freedesktop.systemd1.Service", "IPAddressDeny");
  };
  const auto take_list = [&](SdBusMessage* reply) {
    if (library.message_enter_container(reply, 'v', "a(iayu)") < 0 || library.message_enter_container(reply, 'a', "(iayu)") < 0) return;
    denies = library.message_at_end(reply, 0) == 0;
  };
  bus.call({kDestination, object.c_str(), "org.freedesktop.DBus.Properties", "Get"}, property, take_list, kAnswerMs, ignored);
  return denies ? unit + " has IPAddressDeny, which does not reach into a scope" : std::string();
}

}  // namespace

std::unique_ptr<CgroupTree> make_scope(pid_t warden, const ManagerAddress& address, std::string& lifts, Refusal& refusal) {
  const std::string socket = manager_socket(address, refusal);
  if (socket.empty()) return nullptr;
  const auto bus = Bus::connect(socket, refusal);
  if (!bus || !subscribe(*bus, refusal)) return nullptr;

  const HostUnit host = host_unit();
  const std::string unit = unique_cgroup_name() + ".scope";
  if (!start_unit(*bus, unit, host.slice, warden, refusal)) return nullptr;
  const std::string scope = verified_directory(warden, unit, refusal);
  if (scope.empty() || !move_to_leaf(scope, warden, refusal)) return nullptr;
  lifts = fewer_processes_than(scope, host);
  if (lifts.empty()) lifts = filtered_network(*bus, host.name);
  return CgroupTree::open(scope, refusal);
}

}  // namespace holdfast::linux_os
