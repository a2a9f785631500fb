#include "core/escalation.h"

#include "core/time.h"

namespace holdfast::core {

Escalation::Actions Escalation::terminate(std::uint64_t now, std::uint64_t grace_ms) {
  if (phase_ != Phase::running) return {};
  phase_ = Phase::grace;
  started_ = true;
  deadline_ = add_ms(now, grace_ms);
  return {.send_term = true};
}

Escalation::Actions Escalation::kill_now(std::uint64_t now) {
  if (phase_ == Phase::over) return {};
  phase_ = Phase::killing;
  started_ = true;
  deadline_ = add_ms(now, kKillAgainMs);
  return {.send_kill = true};
}

Escalation::Actions Escalation::tick(std::uint64_t now) {
  if (!deadline_ || now < *deadline_) return {};
  return kill_now(now);
}

void Escalation::empty() {
  phase_ = Phase::over;
  deadline_.reset();
}

}  // namespace holdfast::core
