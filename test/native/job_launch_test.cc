#include "core/job_launch.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using holdfast::core::JobLaunch;
using holdfast::core::JobSystem;
using holdfast::core::launch_in_job;
using Step = JobLaunch::Step;

namespace {

constexpr int kRefused = 50, kMissing = 2;

// A system with one process at most, that keeps count and objects to whatever Windows would not let pass.
class Model : public JobSystem {
 public:
  std::string failing;  // the step that fails
  int error = kMissing;
  bool has_attribute = true;

  bool job = false, process = false, in_job = false, running = false, handle = false;
  bool ran_outside = false;
  std::string steps;

  int create_job() override { return step("job", [this] { job = true; }); }
  int create_in_job() override {
    if (!has_attribute) return steps += "attribute ", kRefused;
    return step("attribute", [this] { process = in_job = running = handle = true; });
  }
  int create_suspended() override { return step("suspended", [this] { process = handle = true; }); }
  int assign() override {
    return step("assign", [this] { in_job = true; });
  }
  int resume() override {
    return step("resume", [this] {
      running = true;
      ran_outside |= !in_job;
    });
  }
  bool attribute_refused(int code) const override { return code == kRefused; }
  int kill_command() override {
    CHECK_FALSE(in_job);
    return step("kill-command", [this] { process = false; });
  }
  int kill_job() override {
    CHECK(job);
    return step("kill-job", [this] { process = process && !in_job; });
  }
  void close_command() override {
    CHECK(handle);
    handle = false;
  }
  void close_job() override {
    CHECK(job);
    job = false;
    if (in_job) process = running = false;  // kill on close
  }

 private:
  template <typename Effect>
  int step(const char* name, Effect effect) {
    steps += std::string(name) + " ";
    if (failing == name) return error;
    effect();
    return 0;
  }
};

}  // namespace

TEST_CASE("a command is born in its job where the system can do that") {
  Model model;
  const JobLaunch result = launch_in_job(model);
  CHECK(result.failed == Step::done);
  CHECK(result.by_attribute);
  CHECK(model.steps == "job attribute ");
  CHECK(model.running);
  CHECK(model.in_job);
}

TEST_CASE("elsewhere it is assigned before it runs") {
  Model model;
  model.has_attribute = false;
  const JobLaunch result = launch_in_job(model);
  CHECK(result.failed == Step::done);
  CHECK_FALSE(result.by_attribute);
  CHECK(model.steps == "job attribute suspended assign resume ");
  CHECK(model.running);
  CHECK_FALSE(model.ran_outside);
}

TEST_CASE("a program that is missing is not asked for twice") {
  Model model;
  model.failing = "attribute";
  const JobLaunch result = launch_in_job(model);
  CHECK(result.failed == Step::create);
  CHECK(result.error == kMissing);
  CHECK(model.steps == "job attribute ");
  CHECK_FALSE(model.job);
}

TEST_CASE("whichever step fails, nothing is left and nothing has run") {
  const struct {
    const char* step;
    Step failed;
  } cases[] = {{"job", Step::job}, {"suspended", Step::create}, {"assign", Step::assign}, {"resume", Step::resume}};
  for (const auto& which : cases) {
    CAPTURE(which.step);
    Model model;
    model.has_attribute = false;
    model.failing = which.step;
    model.error = 8;
    const JobLaunch result = launch_in_job(model);
    CHECK(result.failed == which.failed);
    CHECK(result.error == 8);
    CHECK(result.undo_error == 0);
    CHECK_FALSE(model.job);
    CHECK_FALSE(model.process);
    CHECK_FALSE(model.handle);
    CHECK_FALSE(model.running);
    CHECK_FALSE(model.ran_outside);
  }
}

namespace {

// The assignment fails, and then the end of the command does too.
class Stubborn : public Model {
 public:
  int assign() override { return 5; }
  int kill_command() override { return 6; }
};

}  // namespace

TEST_CASE("a suspended command that cannot be ended is told, and its handles are closed all the same") {
  Stubborn model;
  model.has_attribute = false;
  const JobLaunch result = launch_in_job(model);
  CHECK(result.failed == Step::assign);
  CHECK(result.error == 5);
  CHECK(result.undo_error == 6);
  CHECK_FALSE(model.handle);
  CHECK_FALSE(model.job);
  CHECK_FALSE(model.running);
}
