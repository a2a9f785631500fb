#include "group_owner.h"

#include <errno.h>
#include <signal.h>

#include <algorithm>
#include <map>
#include <set>

#include "child.h"
#include "group_members.h"
#include "group_spawn.h"
#include "processes.h"

namespace holdfast::posix {

namespace {

constexpr std::uint64_t kFirstPollUs = 2000;
constexpr std::uint64_t kSlowestPollUs = 100 * 1000;
constexpr std::uint64_t kSlowestTrackUs = 1000 * 1000;
/// Looks at all processes that one signal takes at most; whoever forks faster is met again by the next one.
constexpr int kMostPasses = 32;
/// How long TERM looks for members that were forked meanwhile: a storm takes the processor away from whoever counts it.
constexpr std::uint64_t kTermUs = 20 * 1000;

using Identity = std::pair<pid_t, std::uint64_t>;

/// A look can miss who is forked while it goes on. A KILL is the last word, so one quiet look is not enough for it.
constexpr int kQuietLooks = 4;

/// Signals each member once, until whole looks meet nobody new. `use` is asked before each, and returns false for one that
/// has the signal already. One that is gone before its signal counts as met: it may have been the parent of the next. Members
/// that are stopped are continued, so that their handlers run.
template <typename F>
void signal_members(GroupMembers& members, int signal, F use) {
  std::set<Identity> reached;
  const std::uint64_t begin = now_us();
  int quiet = 0;
  for (int pass = 0; pass < kMostPasses && (signal != SIGTERM || now_us() - begin < kTermUs); pass++) {
    bool news = false;
    members.look([&](const ProcessInfo& member) {
      if (!reached.emplace(member.pid, member.start_time).second) return;
      if (use(member)) {
        signal_exactly(member, signal);
        news = true;
      }
      if (signal == SIGTERM && member.state == 'T') signal_exactly(member, SIGCONT);
    });
    quiet = news ? 0 : quiet + 1;
    if (quiet == (signal == SIGKILL ? kQuietLooks : 1)) return;
  }
}

struct Leader {
  const core::FactSink* sink;
  std::shared_ptr<GroupMembers> members;
};

// Leaders that are not reaped yet, so that their numbers cannot belong to anybody else.
std::mutex leaders_mutex;
std::map<pid_t, Leader> leaders;

}  // namespace

class GroupOwner : public Holder, public std::enable_shared_from_this<GroupOwner> {
 public:
  GroupOwner(Reactor& reactor, std::shared_ptr<Range> range, std::shared_ptr<GroupMembers> members)
      : reactor_(reactor), range_(std::move(range)), members_(std::move(members)) {}

  /// Before the range may ask for anything.
  void hold(pid_t leader) { leader_ = leader; }
  void run() {
    watch_ = reactor_.watch_exit(leader_, [self = shared_from_this()](std::uint32_t) { self->check(); });
    // Where nobody tells, the exit is found by asking.
    if (watch_ == 0) schedule();
    track();
  }
  void fail() { over_ = true; }

  void term() override { signal_all(SIGTERM); }
  void kill() override {
    killing_ = true;
    signal_all(SIGKILL);
    poll_us_ = kFirstPollUs;
    if (has_exited_) schedule();
  }
  void release() override {
    over_ = true;
    reactor_.unwatch(std::exchange(watch_, 0));
    reactor_.cancel(std::exchange(timer_, 0));
    reactor_.cancel(std::exchange(track_timer_, 0));
    range_.reset();
  }
  std::vector<pid_t> members() const override {
    std::vector<pid_t> pids;
    members_->look([&pids](const ProcessInfo& info) { pids.push_back(info.pid); });
    return pids;
  }

 private:
  void schedule() {
    reactor_.cancel(timer_);
    timer_ = reactor_.at(now_us() + poll_us_, [self = shared_from_this()] {
      self->timer_ = 0;
      self->check();
    });
    poll_us_ = std::min(poll_us_ * 2, kSlowestPollUs);
  }

  // Somebody in a session of his own who has cleared his environment is known by his parents only, and only as long as
  // they live; so they are looked at while they do, less and less often.
  void track() {
    if (over_ || has_exited_) return;
    members_->track();
    track_timer_ = reactor_.at(now_us() + track_us_, [self = shared_from_this()] {
      self->track_timer_ = 0;
      self->track();
    });
    track_us_ = std::min(track_us_ * 2, kSlowestTrackUs);
  }

  // The leader is looked at without being reaped: as long as it is a zombie, its number, which is also the number of its
  // group and session, cannot be given to a stranger.
  void check() {
    if (over_) return;
    const auto self = shared_from_this();
    if (!has_exited_ && !look_at_leader()) {
      // Told of an exit that cannot be waited for yet, or not told at all.
      reactor_.unwatch(std::exchange(watch_, 0));
      return schedule();
    }
    if (over_) return;
    bool any = false;
    if (!members_->look([&any](const ProcessInfo&) { any = true; }) || any) {
      // Who was forked faster than all passes of the last KILL could look.
      if (killing_) signal_all(SIGKILL);
      quiet_ = 0;
      return schedule();
    }
    // After a KILL, what is left may be a chain that forks during each look; once the leader is reaped nobody looks again.
    if (killing_ && ++quiet_ < kQuietLooks) {
      poll_us_ = kFirstPollUs;
      return schedule();
    }
    reap();
    range_->emptied(false, 0, std::nullopt);
  }

  bool look_at_leader() {
    const ChildExit found = look_at_child(leader_);
    if (found.state == ChildExit::State::running) return false;
    has_exited_ = true;
    reaped_ = found.state != ChildExit::State::zombie;
    reactor_.unwatch(std::exchange(watch_, 0));
    poll_us_ = kFirstPollUs;
    if (reaped_) forget_leader();
    if (found.state == ChildExit::State::lost) {
      range_->status_lost("the command's exit status was taken by another part of this process");
    } else {
      range_->exited(leader_, found.status, found.usage);
    }
    return true;
  }

  void reap() {
    if (std::exchange(reaped_, true)) return;
    // Out of the list first: kill_groups() must not see a number that is free.
    forget_leader();
    if (const auto usage = reap_child(leader_)) range_->used(*usage);
  }
  void forget_leader() {
    members_->end_session();
    std::lock_guard lock(leaders_mutex);
    leaders.erase(leader_);
  }

  void signal_all(int signal) {
    if (over_ || leader_ <= 1) return;
    // With KILL alone every death makes room for another fork: hold them still first, the group in one step.
    if (signal == SIGKILL) {
      if (!reaped_) ::kill(-leader_, SIGSTOP);
      signal_members(*members_, SIGSTOP, [](const ProcessInfo&) { return true; });
    }
    // Named before they are signalled: afterwards most are gone.
    members_->look([&](const ProcessInfo& member) { tell(member, signal); });
    // All at once, and also where the members cannot be seen. Not reaped, so it is no stranger's group.
    const bool by_group = !reaped_ && ::kill(-leader_, signal) == 0;
    signal_members(*members_, signal, [&](const ProcessInfo& member) {
      tell(member, signal);
      return !by_group || member.group != leader_;
    });
  }

  void tell(const ProcessInfo& member, int signal) {
    if (member.pid == leader_) return;
    // One that got TERM before and needs KILL is told again, and counted once, as far as the list can tell.
    const bool fresh = strays_.emplace(member.pid, member.start_time).second;
    if (!fresh && strays_.size() > core::kMaxListed) return;
    // Beyond the list they are only counted.
    const std::vector<ProcessInfo> named = strays_.size() > core::kMaxListed ? std::vector<ProcessInfo>() : inspect({member.pid});
    range_->member(member.pid, named.empty() ? member.argv0 : named[0].argv0, signal == SIGKILL ? 'K' : 'T', false);
  }

  Reactor& reactor_;
  std::shared_ptr<Range> range_;
  const std::shared_ptr<GroupMembers> members_;
  pid_t leader_ = 0;
  Reactor::WatchId watch_ = 0;
  Reactor::TimerId timer_ = 0, track_timer_ = 0;
  std::uint64_t poll_us_ = kFirstPollUs, track_us_ = kFirstPollUs;
  std::set<Identity> strays_;
  bool killing_ = false, has_exited_ = false, reaped_ = false, over_ = false;
  int quiet_ = 0;  // looks since the last member was seen
};

void launch_group(Reactor& reactor, const std::shared_ptr<Range>& range, GroupLaunch launch) {
  RangeRequest& request = range->request();
  const auto members = std::make_shared<GroupMembers>(mark_environment(request.launch.env));
  const auto owner = std::make_shared<GroupOwner>(reactor, range, members);
  const auto ends = std::make_shared<GroupLaunch>();
  for (int i = 0; i < 2; i++) ends->outputs[i] = std::move(launch.outputs[i]);
  ends->input = std::move(launch.input);

  core::Failure failure{.error = 0, .code = {}, .stage = core::Stage::launch, .syscall = "spawn", .subject = request.launch.program};
  Fd directory;
  pid_t pid = -1;
  failure.error = look_at_directory(request.launch.cwd, directory);
  if (failure.error != 0) {
    failure.syscall = "chdir";
    failure.subject = request.launch.cwd;
  } else {
    // The list is locked across the launch: kill_groups() at the host's exit sees the leader, or it has been there, and
    // nobody would end the command any more.
    std::lock_guard lock(leaders_mutex);
    failure.error = range->sink->ended() ? ECANCELED : spawn_leader(request, directory, launch.stdio, launch.control, pid);
    if (failure.error == 0) {
      members->begin(pid);
      leaders.emplace(pid, Leader{range->sink.get(), members});
    }
  }
  reactor.post([&reactor, range, owner, ends, failure, pid] {
    if (failure.error == 0) owner->hold(pid);
    range->adopt(reactor, core::Owner::group, owner, ends->outputs, std::move(ends->input));
    if (failure.error != 0) {
      owner->fail();
      return range->failed(failure);
    }
    range->started(pid);
    owner->run();
  });
}

void kill_groups(const core::FactSink* sink) {
  std::lock_guard lock(leaders_mutex);
  for (const auto& [pid, leader] : leaders) {
    if (leader.sink != sink || pid <= 1) continue;
    ::kill(-pid, SIGKILL);
    signal_members(*leader.members, SIGKILL, [](const ProcessInfo&) { return true; });
  }
}

}  // namespace holdfast::posix
