// Launches one command into a Job of its own. Launch thread.
#pragma once
#include <memory>

#include "core/failure.h"
#include "range.h"

namespace holdfast::windows {

struct Launched {
  std::shared_ptr<Held> held;
  Handle outputs[2];  // the host's ends of collected streams
  Handle input;       // the host's end of stdin with { data }
};

/// How a command comes into its Job: born in it, and otherwise suspended and assigned; or the latter at once, which is for
/// systems that refuse the former, and for the test of it.
enum class Birth { in_job, suspended };

/// False: `failure` says why, and nothing is left.
bool launch(RangeRequest& request, Reactor& reactor, Launched& launched, core::Failure& failure, Birth birth = Birth::in_job);

}  // namespace holdfast::windows
