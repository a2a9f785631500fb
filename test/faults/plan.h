// Which system call fails next: a file that the test writes and that the shim of the host and the warden of the test build
// have mapped, so that one process can plan the faults of another. test/faults/plan.mjs has the same offsets.
#pragma once
#include <stdint.h>

enum { FAULT_NAMES = 128, FAULT_NUMBERS = 512, FAULT_HOST = 1, FAULT_WARDEN = 2 };

struct fault_plan {
  uint32_t armed;   // 0: calls are counted only
  uint32_t side;    // FAULT_HOST or FAULT_WARDEN
  char call[44];    // of the host: the name of the function
  uint32_t number;  // of the warden: the number of the call
  uint32_t index;   // which of them, from 1; 0: every second one, so that a call that is made again gets through
  int32_t error;    // errno; 0: it is short
  uint32_t seen;    // so many of them were made
  uint32_t fired;   // so many failed
  struct {
    char name[44];
    uint32_t count;
  } host[FAULT_NAMES];
  uint32_t warden[FAULT_NUMBERS];
};

/// Whether this one of the planned calls is one to fail.
static inline int fault_due(struct fault_plan *plan) {
  const uint32_t seen = __atomic_add_fetch(&plan->seen, 1, __ATOMIC_SEQ_CST);
  if (plan->index == 0 ? seen % 2 == 0 : seen != plan->index) return 0;
  __atomic_add_fetch(&plan->fired, 1, __ATOMIC_SEQ_CST);
  return 1;
}

/// What a short call of `size` bytes transfers.
static inline uint64_t fault_short(uint64_t size) { return size > 4096 ? 4093 : 1; }
