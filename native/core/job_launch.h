// The order in which a command is put into a Job, and what is undone when a step fails. The steps themselves are behind an
// interface, so that each failure is tested where there is no Windows.
//
// A command must never run outside its Job, not for an instant: what it starts there would belong to nobody. So it is born
// in the Job (the job-list attribute), and where that is refused it is born suspended, put into the Job, and only then let
// run. Whatever fails, nothing is left: no process, no Job, no handle.
#pragma once

namespace holdfast::core {

/// The steps. Each returns 0 or the system's error number.
class JobSystem {
 public:
  virtual ~JobSystem() = default;
  /// The Job, with its limits, and its messages going to the completion port.
  virtual int create_job() = 0;
  /// The command, born in the Job and running.
  virtual int create_in_job() = 0;
  /// The command, in no Job of ours and suspended.
  virtual int create_suspended() = 0;
  virtual int assign() = 0;
  virtual int resume() = 0;
  /// Whether an error of create_in_job() can mean that this system refuses the attribute, rather than the program.
  virtual bool attribute_refused(int error) const = 0;
  /// Ends the suspended command, which is in no Job, and waits until it is gone.
  virtual int kill_command() = 0;
  /// Ends everything in the Job.
  virtual int kill_job() = 0;
  virtual void close_command() = 0;
  virtual void close_job() = 0;
};

struct JobLaunch {
  enum class Step { job, create, assign, resume, done };
  /// The step that has failed, or done.
  Step failed = Step::done;
  int error = 0;
  /// With Step::done: born in the Job. Else it was assigned.
  bool by_attribute = false;
  /// What undoing has failed with: a suspended command that has run nothing could not be ended.
  int undo_error = 0;
};

JobLaunch launch_in_job(JobSystem& system);

}  // namespace holdfast::core
