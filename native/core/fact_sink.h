// Where facts go: the environment that spawned. The addon implements it over a thread-safe function.
#pragma once
#include <memory>

#include "fact_queue.h"

namespace holdfast::core {

class FactSink {
 public:
  virtual ~FactSink() = default;
  /// Any thread. Facts of an environment that has ended are dropped.
  virtual void post(std::unique_ptr<Fact> fact) = 0;
};

}  // namespace holdfast::core
