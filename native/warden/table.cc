#include "table.h"

#include "sys.h"

namespace holdfast::warden {

bool Table::init() {
  constexpr size_t kBytes = kSlots * (sizeof(Keys) + sizeof(Range) + sizeof(MemberList));
  auto* at = static_cast<unsigned char*>(sys::map(kBytes, MAP_PRIVATE | MAP_NORESERVE));
  commands_ = static_cast<int32_t*>(sys::map(kSlots * sizeof(int32_t), MAP_SHARED | MAP_NORESERVE));
  if (at == nullptr || commands_ == nullptr) return false;
  // No child looks at the table. Shared with a fork, each page of it would have to be copied after each fork.
  sys::call(__NR_madvise, at, kBytes, MADV_DONTFORK);
  keys_ = reinterpret_cast<Keys*>(at);
  ranges_ = reinterpret_cast<Range*>(keys_ + kSlots);
  members_ = reinterpret_cast<MemberList*>(ranges_ + kSlots);
  return true;
}

Range* Table::add(uint64_t id, Hold hold) {
  int slot = 0;
  while (slot < end_ && keys_[slot].id != 0) ++slot;
  if (slot == kSlots) return nullptr;
  if (slot == end_) ++end_;
  ++live_;
  keys_[slot] = {id, 0};
  Range& range = ranges_[slot];
  range = Range{};
  range.facts.range = id;
  range.facts.members = &members_[slot];
  range.hold = hold;
  range.status_fd = -1;
  range.events_fd = -1;
  return &range;
}

Range* Table::find(uint64_t id) {
  for (int slot = 0; slot < end_ && id != 0; ++slot) {
    if (keys_[slot].id == id) return &ranges_[slot];
  }
  return nullptr;
}

Range* Table::find_child(int pid) {
  for (int slot = 0; slot < end_ && pid > 0; ++slot) {
    if (keys_[slot].child == pid) return &ranges_[slot];
  }
  return nullptr;
}

void Table::set_child(Range& range, int pid) {
  range.child = pid;
  keys_[index(range)].child = pid;
}

void Table::remove(Range& range) {
  const int slot = index(range);
  keys_[slot] = {};
  --live_;
  while (end_ > 0 && keys_[end_ - 1].id == 0) --end_;
}

}  // namespace holdfast::warden
