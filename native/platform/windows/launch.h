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

/// False: `failure` says why, and nothing is left.
bool launch(RangeRequest& request, Reactor& reactor, Launched& launched, core::Failure& failure);

}  // namespace holdfast::windows
