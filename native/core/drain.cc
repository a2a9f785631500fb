#include "core/drain.h"

#include <cassert>

#include "core/time.h"

namespace holdfast::core {

Drain::Drain(unsigned streams, std::uint64_t grace_ms)
    : open_(streams == 0 ? 0 : ~std::uint32_t{0} >> (kMaxStreams - streams)), grace_ms_(grace_ms) {
  assert(streams <= kMaxStreams);
}

Drain::Verdict Drain::settle(Verdict verdict) {
  verdict_ = verdict;
  deadline_.reset();
  return verdict;
}

Drain::Verdict Drain::exited(std::uint64_t now) {
  if (settled() || deadline_) return Verdict::none;
  if (open_ == 0) return settle(Verdict::eof);
  deadline_ = add_ms(now, grace_ms_);
  return Verdict::none;
}

Drain::Verdict Drain::stream_ended(unsigned index) {
  assert(index < kMaxStreams);
  open_ &= ~(std::uint32_t{1} << index);
  // Without a deadline there was no exit: a command may close its streams and run on.
  if (settled() || !deadline_ || open_ != 0) return Verdict::none;
  return settle(Verdict::eof);
}

Drain::Verdict Drain::tick(std::uint64_t now) {
  if (!deadline_ || now < *deadline_) return Verdict::none;
  return settle(Verdict::deadline);
}

Drain::Verdict Drain::failed() {
  if (settled() || deadline_) return Verdict::none;
  return settle(Verdict::failed);
}

std::optional<std::uint64_t> Drain::deadline() const { return deadline_; }

}  // namespace holdfast::core
