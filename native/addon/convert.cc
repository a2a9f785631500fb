#include "convert.h"

#include <errno.h>

namespace holdfast::addon {

namespace {

constexpr const char* kFactKinds[] = {"started", "failed", "settled", "empty", "lost", "grew", "wrote", "warning", "ended"};
constexpr const char* kStages[] = {"resolve", "own", "launch", "io", "spill", "wait", "terminal"};

const char* stage_name(core::Stage stage) { return kStages[static_cast<int>(stage)]; }

Napi::Object member_facts(Napi::Env env, const os::MemberFacts& facts) {
  Napi::Array listed = Napi::Array::New(env, facts.listed.size());
  for (std::uint32_t i = 0; i < facts.listed.size(); i++) {
    const os::MemberFact& member = facts.listed[i];
    Napi::Object entry = Napi::Object::New(env);
    entry["pid"] = Napi::Number::New(env, member.pid);
    entry["argv0"] = Napi::String::New(env, member.argv0);
    entry["endedBy"] = member.ended_by == 'T'   ? Napi::Value(Napi::String::New(env, "TERM"))
                       : member.ended_by == 'K' ? Napi::Value(Napi::String::New(env, "KILL"))
                                                : env.Null();
    listed[i] = entry;
  }
  Napi::Object result = Napi::Object::New(env);
  result["count"] = Napi::Number::New(env, static_cast<double>(facts.count));
  result["listed"] = listed;
  return result;
}

Napi::Object usage_value(Napi::Env env, const os::Usage& usage) {
  Napi::Object result = Napi::Object::New(env);
  result["userCpuMs"] = Napi::Number::New(env, static_cast<double>(usage.user_us) / 1000);
  result["systemCpuMs"] = Napi::Number::New(env, static_cast<double>(usage.system_us) / 1000);
  if (usage.max_rss_kib > 0) result["maxRssBytes"] = Napi::Number::New(env, static_cast<double>(usage.max_rss_kib) * 1024);
  return result;
}

Napi::Object stream_value(Napi::Env env, const os::Collector& collector) {
  using State = os::SpillFacts::State;
  const os::SpillFacts spill = collector.spill();
  Napi::Object result = Napi::Object::New(env);
  result["bytes"] = Napi::Number::New(env, static_cast<double>(collector.ring().total()));
  result["retained"] = Napi::Number::New(env, static_cast<double>(collector.ring().retained()));
  static constexpr const char* kStates[] = {"none", "open", "complete", "discarded", "failed"};
  result["spill"] = Napi::String::New(env, kStates[static_cast<int>(spill.state)]);
  if (!spill.path.empty()) result["spillPath"] = Napi::String::New(env, spill.path);
  if (spill.state == State::failed) {
    Napi::Object error = Napi::Object::New(env);
    error["code"] = Napi::String::New(env, error_name(spill.failure.error));
    error["syscall"] = Napi::String::New(env, spill.failure.syscall);
    error["path"] = Napi::String::New(env, spill.failure.subject);
    result["spillError"] = error;
  }
  return result;
}

// Only where terminate() depends on somebody who is to tell the members.
template <typename Facts>
void add_polite_stage(Napi::Env env, const Facts& facts, Napi::Object result) {
  if constexpr (requires { facts.polite; }) {
    if (facts.polite == Facts::Polite::unasked) return;
    result["politeStage"] = Napi::String::New(env, facts.polite == Facts::Polite::sent ? "sent" : "unavailable");
  }
}

}  // namespace

std::string error_name(int error) {
  // glibc's strerrorname_np is newer than our floor, and musl has none.
#define HOLDFAST_ERRNO(name) \
  case name: return #name
  switch (error) {
    HOLDFAST_ERRNO(EPERM);
    HOLDFAST_ERRNO(ENOENT);
    HOLDFAST_ERRNO(ESRCH);
    HOLDFAST_ERRNO(EINTR);
    HOLDFAST_ERRNO(EIO);
    HOLDFAST_ERRNO(ENXIO);
    HOLDFAST_ERRNO(E2BIG);
    HOLDFAST_ERRNO(ENOEXEC);
    HOLDFAST_ERRNO(EBADF);
    HOLDFAST_ERRNO(ECHILD);
    HOLDFAST_ERRNO(EAGAIN);
    HOLDFAST_ERRNO(ENOMEM);
    HOLDFAST_ERRNO(EACCES);
    HOLDFAST_ERRNO(EFAULT);
    HOLDFAST_ERRNO(EBUSY);
    HOLDFAST_ERRNO(EEXIST);
    HOLDFAST_ERRNO(EXDEV);
    HOLDFAST_ERRNO(ENODEV);
    HOLDFAST_ERRNO(ENOTDIR);
    HOLDFAST_ERRNO(EISDIR);
    HOLDFAST_ERRNO(EINVAL);
    HOLDFAST_ERRNO(ENFILE);
    HOLDFAST_ERRNO(EMFILE);
    HOLDFAST_ERRNO(ETXTBSY);
    HOLDFAST_ERRNO(EFBIG);
    HOLDFAST_ERRNO(ENOSPC);
    HOLDFAST_ERRNO(EROFS);
    HOLDFAST_ERRNO(EPIPE);
    HOLDFAST_ERRNO(ENAMETOOLONG);
    HOLDFAST_ERRNO(ENOSYS);
    HOLDFAST_ERRNO(ENOTEMPTY);
    HOLDFAST_ERRNO(ELOOP);
    HOLDFAST_ERRNO(ENOTSUP);
    HOLDFAST_ERRNO(ETIMEDOUT);
    HOLDFAST_ERRNO(ECONNRESET);
    HOLDFAST_ERRNO(ENOBUFS);
#if !defined(_WIN32)
    HOLDFAST_ERRNO(ESTALE);
    HOLDFAST_ERRNO(EDQUOT);
    HOLDFAST_ERRNO(ETOOMANYREFS);
#endif
    default: return "E" + std::to_string(error);
  }
#undef HOLDFAST_ERRNO
}

void append_fact(Napi::Env env, Napi::Array values, std::uint32_t& index, const core::Fact& fact) {
  using Kind = core::Fact::Kind;
  const auto text = [&](const std::string& value) { return Napi::String::New(env, value); };
  const auto number = [&](std::int64_t value) { return Napi::Number::New(env, static_cast<double>(value)); };
  Napi::Value arguments[4] = {env.Null(), env.Null(), env.Null(), env.Null()};
  switch (fact.kind) {
    case Kind::started:
      arguments[0] = number(fact.number);
      arguments[1] = text(fact.text[0]);
      break;
    case Kind::failed:
      arguments[0] = text(fact.text[0].empty() ? error_name(static_cast<int>(fact.number)) : fact.text[0]);
      arguments[1] = text(stage_name(static_cast<core::Stage>(std::stoi(fact.text[1]))));
      arguments[2] = text(fact.text[2]);
      arguments[3] = text(fact.text[3]);
      break;
    case Kind::settled:
      if (fact.has_number) arguments[0] = number(fact.number);
      arguments[1] = number(fact.second);
      arguments[2] = text(fact.text[0]);
      break;
    case Kind::empty:
      arguments[0] = text(fact.text[0]);
      break;
    case Kind::warning:
      for (int i = 0; i < 3; i++) arguments[i] = text(fact.text[i]);
      break;
    case Kind::lost:
      arguments[0] = text("OWNER_LOST");
      arguments[1] = text(fact.text[0]);
      arguments[2] = text(fact.number == 0 ? "status" : "range");
      break;
    case Kind::wrote:
      if (fact.second != 0) arguments[1] = text(error_name(static_cast<int>(fact.second)));
      [[fallthrough]];
    case Kind::grew:
      arguments[0] = number(fact.number);
      break;
    case Kind::ended:
      break;
  }
  values[index++] = number(static_cast<std::int64_t>(fact.range));
  values[index++] = text(kFactKinds[static_cast<int>(fact.kind)]);
  for (const Napi::Value& argument : arguments) values[index++] = argument;
}

Napi::Value report_value(Napi::Env env, const os::Range& range) {
  using Facts = os::RangeFacts;
  const Facts facts = range.facts();
  static constexpr const char* kLaunches[] = {"pending", "started", "failed"};
  static constexpr const char* kProofs[] = {"pending", "proven", "observed"};
  static constexpr const char* kDrains[] = {"pending", "eof", "deadline"};
  Napi::Object result = Napi::Object::New(env);
  result["launch"] = Napi::String::New(env, kLaunches[static_cast<int>(facts.launch)]);
  result["pid"] = facts.pid > 0 ? Napi::Value(Napi::Number::New(env, static_cast<double>(facts.pid))) : env.Null();
  const bool held = facts.owner && facts.launch != Facts::Launch::pending;
  result["owner"] = held ? Napi::Value(Napi::String::New(env, core::name(*facts.owner))) : env.Null();
  result["proof"] = Napi::String::New(env, kProofs[static_cast<int>(facts.proof)]);
  result["drain"] = Napi::String::New(env, kDrains[static_cast<int>(facts.drain)]);
  add_polite_stage(env, facts, result);
  if (const auto& collector = range.collector(1)) result["stdout"] = stream_value(env, *collector);
  if (const auto& collector = range.collector(2)) result["stderr"] = stream_value(env, *collector);
  result["strays"] = member_facts(env, facts.strays);
  result["escaped"] = member_facts(env, facts.escaped);
  if (facts.usage) result["usage"] = usage_value(env, *facts.usage);
  if (facts.range_usage) result["rangeUsage"] = usage_value(env, *facts.range_usage);
  if (facts.limits) {
    Napi::Object limits = Napi::Object::New(env);
    limits["oomKills"] = Napi::Number::New(env, static_cast<double>(facts.limits->oom_kills));
    if (facts.limits->peak_bytes > 0) limits["peakBytes"] = Napi::Number::New(env, static_cast<double>(facts.limits->peak_bytes));
    limits["throttledMs"] = Napi::Number::New(env, static_cast<double>(facts.limits->throttled_us) / 1000);
    result["limits"] = limits;
  }
  return result;
}

Napi::Value members_value(Napi::Env env, const std::vector<os::ProcessInfo>& members) {
  Napi::Array result = Napi::Array::New(env, members.size());
  for (std::uint32_t i = 0; i < members.size(); i++) {
    const os::ProcessInfo& member = members[i];
    Napi::Object entry = Napi::Object::New(env);
    entry["pid"] = Napi::Number::New(env, member.pid);
    entry["ppid"] = Napi::Number::New(env, member.ppid);
    entry["startTime"] = Napi::Number::New(env, static_cast<double>(member.start_time));
    entry["state"] = Napi::String::New(env, std::string(1, member.state));
    entry["argv0"] = Napi::String::New(env, member.argv0);
    entry["rssBytes"] = Napi::Number::New(env, static_cast<double>(member.rss_bytes));
    entry["cpuMs"] = Napi::Number::New(env, static_cast<double>(member.cpu_ms));
    result[i] = entry;
  }
  return result;
}

Napi::Value diagnosis_value(Napi::Env env, const os::Diagnosis& diagnosis) {
  Napi::Array owners = Napi::Array::New(env, diagnosis.owners.size());
  for (std::uint32_t i = 0; i < diagnosis.owners.size(); i++) {
    const os::OwnerFinding& finding = diagnosis.owners[i];
    Napi::Object entry = Napi::Object::New(env);
    entry["kind"] = Napi::String::New(env, core::name(finding.owner));
    entry["available"] = Napi::Boolean::New(env, finding.available);
    if (!finding.reason.empty()) entry["reason"] = Napi::String::New(env, finding.reason);
    entry["proof"] = Napi::String::New(env, finding.owner == core::Owner::group ? "observed" : "proven");
    owners[i] = entry;
  }
  Napi::Object warden = Napi::Object::New(env);
  warden["from"] = Napi::String::New(env, diagnosis.warden_from);
  if (!diagnosis.warden_path.empty()) warden["path"] = Napi::String::New(env, diagnosis.warden_path);
  if (diagnosis.warden_pid > 0) warden["pid"] = Napi::Number::New(env, static_cast<double>(diagnosis.warden_pid));
  Napi::Object kernel = Napi::Object::New(env);
  for (const auto& [name, present] : diagnosis.kernel) kernel[name] = Napi::Boolean::New(env, present);
  Napi::Object limits = Napi::Object::New(env);
  for (const auto& [name, value] : diagnosis.limits) limits[name] = Napi::Number::New(env, value);

  Napi::Object result = Napi::Object::New(env);
  result["owners"] = owners;
  result["chosen"] = Napi::String::New(env, core::name(diagnosis.chosen));
  result["warden"] = warden;
  result["kernel"] = kernel;
  result["limits"] = limits;
  return result;
}

Napi::Value lookup_value(Napi::Env env, const Lookup& found) {
  Napi::Object result = Napi::Object::New(env);
  if (found.error == 0) {
    result["path"] = Napi::String::New(env, found.path);
  } else if (found.error == ENOENT || found.error == EACCES) {
    result["code"] = Napi::String::New(env, error_name(found.error));
  } else {
    result["failure"] = Napi::String::New(env, error_name(found.error));
    result["syscall"] = Napi::String::New(env, "stat");
    result["path"] = Napi::String::New(env, found.subject);
  }
  return result;
}

}  // namespace holdfast::addon
