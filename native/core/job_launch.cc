#include "core/job_launch.h"

namespace holdfast::core {

namespace {

using Step = JobLaunch::Step;

JobLaunch undo(JobSystem& system, Step failed, int error) {
  JobLaunch result;
  result.failed = failed;
  result.error = error;
  if (failed == Step::assign || failed == Step::resume) {
    result.undo_error = failed == Step::assign ? system.kill_command() : system.kill_job();
    system.close_command();
  }
  if (failed != Step::job) system.close_job();
  return result;
}

}  // namespace

JobLaunch launch_in_job(JobSystem& system) {
  if (const int error = system.create_job()) return undo(system, Step::job, error);
  int error = system.create_in_job();
  if (error == 0) return {.by_attribute = true};
  if (!system.attribute_refused(error)) return undo(system, Step::create, error);
  // Nothing has run: the process was not made. If it is the program after all that is refused, this says so again.
  if ((error = system.create_suspended()) != 0) return undo(system, Step::create, error);
  if ((error = system.assign()) != 0) return undo(system, Step::assign, error);
  if ((error = system.resume()) != 0) return undo(system, Step::resume, error);
  return {};
}

}  // namespace holdfast::core
