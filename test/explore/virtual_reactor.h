// The reactor of native/platform/posix/reactor.h with a clock that the caller moves and no thread, and streams that are
// never there: a Range of the real source runs on it one step at a time. One range, one world at a time.
#pragma once
#include <cstddef>

namespace holdfast::test {

/// Forgets all timers and tasks and begins at the same instant again.
void reset_time();
std::size_t timers();
/// Moves the clock to the next timer, and runs it. False: there is none.
bool run_next_timer();

}  // namespace holdfast::test
