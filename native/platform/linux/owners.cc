#include "owners.h"

#include <errno.h>
#include <string.h>

#include <utility>

#include "cgroup_path.h"
#include "scope.h"

namespace holdfast::linux_os {

using posix::now_us;
using core::Owner;
using core::Stage;

namespace {

/// How long a scope that could not be had is not asked for again.
constexpr std::uint64_t kScopeAgainUs = 60ull * 1000 * 1000;

}  // namespace

const OwnerFinding& Owners::finding(Owner owner) const {
  for (const OwnerFinding& entry : findings_) {
    if (entry.owner == owner) return entry;
  }
  static const OwnerFinding kJob{Owner::job, false, "it exists on Windows only"};
  static const OwnerFinding kGroup{Owner::group, true, ""};
  static const OwnerFinding kScope{Owner::scope, false, "it has not been asked for"};
  return owner == Owner::group ? kGroup : owner == Owner::scope ? kScope : kJob;
}

void Owners::set(Owner owner, bool available, std::string reason) {
  std::erase_if(findings_, [owner](const OwnerFinding& entry) { return entry.owner == owner; });
  findings_.push_back({owner, available, std::move(reason)});
}

void Owners::retire(std::shared_ptr<WardenClient>& warden) {
  if (warden) reactor_.post([old = std::exchange(warden, nullptr)] { old->retire(); });
}

// "" where a command with these limits can be held by this owner.
std::string Owners::why_no_limits(Owner owner, const warden::Limits& limits) {
  if (!limits.any()) return {};
  if (owner == Owner::cgroup) return warden_->enable(limits);
  if (owner == Owner::scope) return scope_warden_->enable(limits);
  return "it has no means to limit a range";
}

// What was found out by somebody with other rights, or in other namespaces, says nothing.
void Owners::forget_if_other(const std::string& identity) {
  if (identity == identity_) return;
  identity_ = identity;
  findings_.clear();
  scope_would_lift_.reset();
  scope_again_us_ = 0;
}

std::optional<Owners::Choice> Owners::choose(const RangeRequest& request, core::Failure& failure) {
  std::string reasons;
  bool only_limits = false;
  for (std::size_t i = 0; i < request.owners.size(); i++) {
    const Owner owner = request.owners[i];
    const Answer answer = ask(owner, i >= request.named, request.credentials);
    const auto& warden = owner == Owner::scope ? scope_warden_ : warden_;
    const bool available = answer.finding.available && (owner == Owner::group || warden);
    const std::string reason = available ? why_no_limits(owner, request.limits) : answer.finding.reason;
    if (available && reason.empty()) {
      // Whoever proves emptiness is as good an answer as any; only a choice that cannot is worth a word.
      const bool worth_a_word = owner == Owner::group && request.may_weaken;
      return Choice{owner, owner == Owner::group ? nullptr : warden, worth_a_word ? reasons : std::string()};
    }
    if (!available && answer.shortage != 0) {
      failure = {.error = answer.shortage, .code = {}, .stage = Stage::own, .syscall = "holdfast-warden", .subject = {}};
      return std::nullopt;
    }
    only_limits |= available;
    if (!reasons.empty()) reasons += "; ";
    reasons.append(core::name(owner)).append(": ").append(reason);
  }
  failure = {.error = 0, .code = only_limits ? "LIMITS_UNAVAILABLE" : "OWNER_UNAVAILABLE", .stage = Stage::own, .syscall = {}, .subject = reasons};
  return std::nullopt;
}

Owners::Answer Owners::ask(Owner owner, bool by_auto, const std::string& credentials) {
  switch (owner) {
    case Owner::cgroup:
    case Owner::subreaper: {
      const int shortage = ensure_warden(credentials);
      return {finding(owner), shortage};
    }
    case Owner::scope: {
      // A library does not lift the limits of its own host, nor does it move work to a manager that has nothing to do
      // with it, unless that was asked for by name. Most of it can be told without the manager.
      if (by_auto && !scope_would_lift_) scope_would_lift_ = lifted_by_scope();
      if (by_auto && !scope_would_lift_->empty()) {
        scope_by_auto_.reason = *scope_would_lift_;
        return {scope_by_auto_, 0};
      }
      const int shortage = ensure_scope(credentials);
      if (!by_auto || finding(owner).reason.empty()) return {finding(owner), shortage};
      scope_by_auto_.reason = finding(owner).reason;
      return {scope_by_auto_, shortage};
    }
    case Owner::job:
    case Owner::group:
      break;
  }
  return {finding(owner), 0};
}

std::vector<OwnerFinding> Owners::look(const std::string& credentials, Owner& chosen) {
  const bool had_scope = scope_warden_ != nullptr && scope_warden_->alive();
  ensure_warden(credentials);
  if (!finding(Owner::scope).available) ask(Owner::scope, false, credentials);
  if (!scope_would_lift_) scope_would_lift_ = lifted_by_scope();
  if (!had_scope) retire(scope_warden_);

  std::vector<OwnerFinding> result;
  for (const Owner owner : core::kOwners) {
    OwnerFinding entry = finding(owner);
    if (owner == Owner::scope && entry.available && !scope_would_lift_->empty()) entry.reason = *scope_would_lift_;
    result.push_back(std::move(entry));
  }
  chosen = Owner::group;
  for (auto entry = result.rbegin(); entry != result.rend(); ++entry) {
    if (entry->available && entry->reason.empty()) chosen = entry->owner;
  }
  return result;
}

// Starts a warden, or another one where the old one has died, where its cgroup was removed under it, or where the host has
// changed who it is since: a child must never have rights that its host has given up. Returns the errno of what has run out, if that is why there is none.
// With what it inherits from this thread; nothing of that is known where somebody changes it meanwhile.
bool Owners::start(WardenProcess& process, Refusal& refusal) {
  warden::HostState before{}, after{};
  host_state_.read_limits(before, 0);
  if (!start_warden(files_, process, refusal)) return false;
  host_state_.read_limits(after, 0);
  if (memcmp(&before, &after, sizeof before) == 0) process.inherited = before;
  return true;
}

int Owners::ensure_warden(const std::string& credentials) {
  Refusal refusal;
  if (const int error = host_state_.open()) refusal.add("/proc/self/status", error);
  const std::string identity = credentials + host_state_.namespaces();
  if (warden_ && warden_->serves(identity)) return 0;
  retire(warden_);
  forget_if_other(identity);

  // Twice, because a warden may die, or fall silent on a crowded machine, while it is asked.
  const bool comparable = refusal.text.empty();
  for (int attempt = 0; attempt < 2 && comparable && !warden_ && refusal.shortage == 0; attempt++) {
    refusal = {};
    WardenProcess process;
    if (!start(process, refusal)) break;
    warden_ = std::make_shared<WardenClient>(std::move(process), identity);
    const std::string parent = own_cgroup(refusal);
    auto tree = parent.empty() ? nullptr : CgroupTree::make(parent, refusal);
    const bool in_cgroup = tree && warden_->adopt_subtree(std::move(tree), warden::Hold::cgroup, refusal);
    set(Owner::cgroup, in_cgroup, in_cgroup ? "" : refusal.text);
    if (const int error = warden_->process().ready.subreap_error) refusal.add("a process to try a subreaper with", error);
    // What it has found out would stay for as long as it lives.
    if (refusal.shortage != 0 || !warden_->alive()) warden_.reset();
  }
  if (warden_) {
    const warden::ReadyEvent& ready = warden_->process().ready;
    const char* no_subreaper = ready.can_subreap == 0 ? "PR_SET_CHILD_SUBREAPER has no effect here"
                               : ready.has_proc == 0  ? "/proc does not show the processes of this pid namespace"
                                                      : "";
    set(Owner::subreaper, *no_subreaper == '\0', no_subreaper);
    warden_->attach(reactor_);
  } else {
    const std::string why = "no warden can be started (" + refusal.text + ")";
    for (const Owner owner : {Owner::cgroup, Owner::subreaper}) set(owner, false, why);
  }
  return refusal.shortage;
}

// The same for the warden that lives in a scope.
int Owners::ensure_scope(const std::string& credentials) {
  if (const int error = host_state_.open()) {
    set(Owner::scope, false, std::string("/proc/self/status: ") + strerror(error));
    return 0;
  }
  const std::string identity = credentials + host_state_.namespaces();
  if (scope_warden_ && scope_warden_->serves(identity)) return 0;
  retire(scope_warden_);
  forget_if_other(identity);
  if (now_us() < scope_again_us_) return 0;

  Refusal refusal;
  std::string lifts;
  // Twice, because a warden may die while it is put there, which says nothing about the manager.
  bool has_died = true;
  for (int attempt = 0; attempt < 2 && !scope_warden_ && has_died; attempt++) {
    refusal = {};
    lifts.clear();
    has_died = false;
    WardenProcess process;
    if (!manager_may_answer(manager_, refusal) || !start(process, refusal)) break;
    auto client = std::make_shared<WardenClient>(std::move(process), identity);
    auto tree = make_scope(client->process().pid, manager_, lifts, refusal);
    if (tree && client->adopt_subtree(std::move(tree), warden::Hold::scope, refusal)) scope_warden_ = std::move(client);
    else has_died = has_ended(client->process().pid);
  }
  if (scope_warden_) scope_warden_->attach(reactor_);
  set(Owner::scope, scope_warden_ != nullptr, scope_warden_ ? lifts : refusal.text);
  if (!scope_warden_ && refusal.shortage == 0 && !has_died) scope_again_us_ = now_us() + kScopeAgainUs;
  return refusal.shortage;
}

std::vector<std::shared_ptr<WardenClient>> Owners::release() {
  std::vector<std::shared_ptr<WardenClient>> wardens;
  for (auto* warden : {&warden_, &scope_warden_}) {
    if (*warden) wardens.push_back(std::exchange(*warden, nullptr));
  }
  return wardens;
}

}  // namespace holdfast::linux_os
