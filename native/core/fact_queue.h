// Facts on their way to one JavaScript environment: many producers, one consumer, no locks.
//
// push() tells whether the consumer has to be woken: only the push onto an empty queue says yes, so a thousand facts are
// one wake-up. take() empties the queue before the consumer handles anything, so no fact can be missed: a fact that is
// pushed after take() finds the queue empty and wakes again.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace holdfast::core {

struct Fact {
  enum class Kind { started, failed, settled, empty, lost, grew, wrote, warning, ended };

  std::uint64_t range = 0;
  Kind kind = Kind::ended;
  std::int64_t number = 0;   // pid, exit code, stream, bytes of input
  std::int64_t second = 0;   // signal number, errno of a failing write
  bool has_number = true;    // false: `number` is null (killed by a signal)
  std::string text[4];       // code, stage, syscall, subject; or owner, drain, proof, message in text[0]
  std::unique_ptr<Fact> next;
};

class FactQueue {
 public:
  ~FactQueue() {
    // One by one: a chain of a hundred thousand would otherwise be destroyed by recursion.
    for (auto fact = take(); fact;) fact = std::move(fact->next);
  }

  /// Any thread. True: the queue was empty, wake the consumer.
  bool push(std::unique_ptr<Fact> fact) {
    Fact* added = fact.release();
    Fact* head = head_.load(std::memory_order_relaxed);
    do {
      static_cast<void>(added->next.release());  // belongs to the queue, not to us
      added->next.reset(head);
    } while (!head_.compare_exchange_weak(head, added, std::memory_order_release, std::memory_order_relaxed));
    return head == nullptr;
  }

  /// The consumer. All facts, oldest first, linked by `next`.
  std::unique_ptr<Fact> take() {
    Fact* newest = head_.exchange(nullptr, std::memory_order_acquire);
    std::unique_ptr<Fact> ordered;
    while (newest != nullptr) {
      Fact* older = newest->next.release();
      newest->next = std::move(ordered);
      ordered.reset(newest);
      newest = older;
    }
    return ordered;
  }

 private:
  std::atomic<Fact*> head_{nullptr};
};

}  // namespace holdfast::core
