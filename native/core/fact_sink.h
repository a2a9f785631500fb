// Where facts go: the environment that spawned. The addon implements it over a thread-safe function.
#pragma once
#include <atomic>
#include <memory>

#include "fact_queue.h"

namespace holdfast::core {

class FactSink {
 public:
  virtual ~FactSink() = default;
  /// Any thread. Facts of an environment that has ended are dropped.
  virtual void post(std::unique_ptr<Fact> fact) = 0;

  /// The environment ends: what it owns is killed, and what it has asked for and not got yet must not be launched.
  void end() { ended_.store(true); }
  bool ended() const { return ended_.load(); }

 private:
  std::atomic<bool> ended_{false};
};

}  // namespace holdfast::core
