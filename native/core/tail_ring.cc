#include "core/tail_ring.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <new>
#include <thread>
#include <utility>

#include "core/chunk.h"

namespace holdfast::core {
namespace {

// --- where chunks begin: offsets 0, 1 KiB, 2, 4, ... 32 KiB, then every 32 KiB ---

constexpr unsigned kMinShift = std::countr_zero(TailRing::kMinChunk);
constexpr unsigned kMaxShift = std::countr_zero(TailRing::kMaxChunk);
constexpr std::uint64_t kRamp = kMaxShift - kMinShift;  // chunk kRamp + 1 is the first of full size

constexpr std::uint64_t chunk_of(std::uint64_t offset) {
  return offset < TailRing::kMaxChunk ? static_cast<std::uint64_t>(std::bit_width(offset >> kMinShift))
                                      : kRamp + (offset >> kMaxShift);
}

constexpr std::uint64_t chunk_begin(std::uint64_t index) {
  if (index == 0) return 0;
  return index <= kRamp ? std::uint64_t{1} << (kMinShift + index - 1) : (index - kRamp) << kMaxShift;
}

static_assert(chunk_of(0) == 0 && chunk_of(1023) == 0 && chunk_of(1024) == 1 && chunk_of(32767) == 5);
static_assert(chunk_of(32768) == 6 && chunk_begin(6) == 32768 && chunk_begin(7) == 65536 && chunk_of(65536) == 7);

// Chunks by index. A full table is not copied into a bigger one (that would be work of the size of the window inside
// one prepare), it is only joined by one: indices from `first` on are here, earlier ones in `older`.
struct Table {
  std::uint64_t first;
  std::uint64_t mask;
  Table* older;
  std::unique_ptr<std::atomic<Chunk*>[]> slots;
};
constexpr std::uint64_t kFirstTable = 8;

}  // namespace

struct TailRing::Impl {
  explicit Impl(std::uint64_t window)
      : max_bytes(window),
        budget(window > std::numeric_limits<std::uint64_t>::max() - kSlack ? std::numeric_limits<std::uint64_t>::max()
                                                                              : window + kSlack - sizeof(Chunk)) {}
  ~Impl();

  // --- the producer ---
  bool add_chunk(bool within_budget);
  bool grow_table();
  Chunk* take_oldest(std::uint64_t size);
  Chunk* new_chunk(std::uint32_t size);
  bool drop(Chunk* chunk);
  void discard(Chunk* chunk);
  void set_live(std::uint64_t index, Chunk* chunk, std::uint64_t begin);
  Chunk* at(std::uint64_t index) const {
    return slot(table.load(std::memory_order_relaxed), index).load(std::memory_order_relaxed);
  }
  void compact(std::uint64_t index);
  std::uint64_t ahead() const { return chunk_begin(next) - written; }
  std::uint64_t window_begin() const { return written > max_bytes ? written - max_bytes : 0; }

  // --- readers ---
  Chunk* pin(std::uint64_t begin, std::uint64_t end);
  void unpin(Chunk* chunk);

  static std::atomic<Chunk*>& slot(const Table* in, std::uint64_t index) {
    while (index < in->first) in = in->older;
    return in->slots[index & in->mask];
  }

  const std::uint64_t max_bytes;
  const std::uint64_t budget;  // for the bytes; what describes one more chunk fits beside it

  // Shared. `total` is the one store that publishes.
  std::atomic<std::uint64_t> total{0};
  std::atomic<bool> sealed{false};
  std::atomic<Table*> table{nullptr};
  std::atomic<Chunk*> returned{nullptr};  // given back by readers, without bytes; taken only as a whole, so no ABA
  std::atomic<std::size_t> orphaned{0};   // bytes of orphans
  std::atomic<std::size_t> owned{sizeof(TailRing) + sizeof(Impl)};  // all other bytes; written by the producer

  // The producer's own.
  std::uint64_t written = 0;  // == total
  std::uint64_t first = 0;    // oldest chunk that is held
  std::uint64_t next = 0;     // chunk to be added next
  Chunk* spare = nullptr;     // without bytes; late readers may still touch them, so they are never deleted

  void own(std::size_t more) { owned.store(owned.load(std::memory_order_relaxed) + more, std::memory_order_relaxed); }
  void disown(std::size_t less) { owned.store(owned.load(std::memory_order_relaxed) - less, std::memory_order_relaxed); }
};

// --- the producer ---

// Drops the oldest chunks until `size` more bytes fit into the budget. Dropping only when memory is wanted leaves chunks
// below the window for as long as the slack allows: the head start of readers (see read). Returns a chunk of exactly
// `size` bytes whose memory can be used again, or null.
Chunk* TailRing::Impl::take_oldest(std::uint64_t size) {
  while (owned.load(std::memory_order_relaxed) + size > budget && first < next &&
         chunk_begin(first + 1) <= window_begin()) {
    Chunk* oldest = at(first++);
    if (!drop(oldest)) continue;
    if (oldest->size() == size) return oldest;
    discard(oldest);
  }
  return nullptr;
}

// Takes a live chunk out of the window. True when it is the producer's now, false when readers hold it.
bool TailRing::Impl::drop(Chunk* chunk) {
  const std::size_t size = chunk->size();
  if (chunk->drop(orphaned) == Chunk::Dropped::free) return true;
  disown(size);
  return false;
}

void TailRing::Impl::discard(Chunk* chunk) {
  disown(chunk->size());
  chunk->free_bytes();
  chunk->next = std::exchange(spare, chunk);
}

// A free chunk with bytes, or null without memory.
Chunk* TailRing::Impl::new_chunk(std::uint32_t size) {
  if (spare == nullptr) spare = returned.exchange(nullptr, std::memory_order_acquire);
  if (spare == nullptr) {
    spare = new (std::nothrow) Chunk;
    if (spare == nullptr) return nullptr;
    own(sizeof(Chunk));
  }
  if (!spare->allocate(size)) return nullptr;
  own(size);
  return std::exchange(spare, spare->next);
}

bool TailRing::Impl::grow_table() {
  Table* const old = table.load(std::memory_order_relaxed);
  if (old != nullptr && next - std::max(first, old->first) <= old->mask) return true;
  const std::uint64_t count = old == nullptr ? kFirstTable : 2 * (old->mask + 1);
  std::unique_ptr<std::atomic<Chunk*>[]> slots{new (std::nothrow) std::atomic<Chunk*>[count]};
  if (slots == nullptr) return false;
  auto* fresh = new (std::nothrow) Table{next, count - 1, old, std::move(slots)};
  if (fresh == nullptr) return false;
  own(sizeof(Table) + count * sizeof(std::atomic<Chunk*>));
  table.store(fresh, std::memory_order_release);
  return true;
}

void TailRing::Impl::set_live(std::uint64_t index, Chunk* chunk, std::uint64_t begin) {
  chunk->activate(begin);
  slot(table.load(std::memory_order_relaxed), index).store(chunk, std::memory_order_release);
}

// Extends the prepared memory by one chunk. False: no memory, or it would not fit into the budget.
bool TailRing::Impl::add_chunk(bool within_budget) {
  const std::uint64_t begin = chunk_begin(next);
  const auto size = static_cast<std::uint32_t>(chunk_begin(next + 1) - begin);
  if (!grow_table()) return false;
  Chunk* chunk = take_oldest(size);
  if (chunk == nullptr) {
    if (within_budget && owned.load(std::memory_order_relaxed) + size > budget) return false;
    chunk = new_chunk(size);
    if (chunk == nullptr) return false;
  }
  set_live(next++, chunk, begin);
  return true;
}

int TailRing::prepare(std::size_t want, std::span<std::byte> (&out)[kMaxSpans]) {
  Impl& ring = *impl_;
  assert(!ring.sealed.load(std::memory_order_relaxed));
  const std::uint64_t total = ring.written;
  // What was published foretells what comes: a stream that fills its reads gets full ones after a few.
  const std::uint64_t limit = total < kMaxPrepare ? std::max<std::uint64_t>(4 * total, 1) : kMaxPrepare;
  const std::uint64_t wanted = std::clamp<std::uint64_t>(want, 1, std::min<std::uint64_t>(limit, kMaxPrepare));
  const std::uint64_t current = chunk_of(total);
  while (ring.ahead() < wanted && ring.next - current < kMaxSpans) {
    const std::uint64_t ahead = ring.ahead();
    if (ahead + (chunk_begin(ring.next + 1) - chunk_begin(ring.next)) > kMaxPrepare) break;
    // Below one chunk the budget is not asked: either it has room for this, or a huge window's bookkeeping outgrew it.
    if (ring.add_chunk(ahead >= kMaxChunk)) continue;
    if (ahead == 0) throw std::bad_alloc();
    break;
  }
  int count = 0;
  for (std::uint64_t offset = total, index = current; index < ring.next; ++index) {
    const Chunk* chunk = ring.at(index);
    out[count++] = {chunk->bytes() + (offset - chunk->begin()), chunk->end() - offset};
    offset = chunk->end();
  }
  return count;
}

void TailRing::publish(std::size_t n) noexcept {
  assert(n <= impl_->ahead());
  impl_->written += n;
  impl_->total.store(impl_->written, std::memory_order_release);
}

// Puts a copy of only the wanted bytes in the place of a chunk. Without memory for that, the chunk stays as it is.
void TailRing::Impl::compact(std::uint64_t index) {
  Chunk* const old = at(index);
  const std::uint64_t begin = std::max(old->begin(), window_begin());
  const auto size = static_cast<std::uint32_t>(std::min(old->end(), written) - begin);
  if (size == old->size()) return;
  Chunk* const copy = new_chunk(size);
  if (copy == nullptr) return;
  std::memcpy(copy->bytes(), old->bytes() + (begin - old->begin()), size);
  set_live(index, copy, begin);
  if (drop(old)) discard(old);
}

void TailRing::seal() noexcept {
  Impl& ring = *impl_;
  if (ring.sealed.load(std::memory_order_relaxed)) return;
  const std::uint64_t begin = ring.window_begin();
  const bool keeps = begin < ring.written;
  const std::uint64_t from = keeps ? chunk_of(begin) : ring.next;
  const std::uint64_t until = keeps ? chunk_of(ring.written - 1) + 1 : ring.next;
  const auto give_back = [&](Chunk* chunk) {
    if (ring.drop(chunk)) ring.discard(chunk);
  };
  while (ring.first < from) give_back(ring.at(ring.first++));
  while (ring.next > until) give_back(ring.at(--ring.next));
  if (keeps) {
    ring.compact(ring.first);
    if (ring.next - 1 != ring.first) ring.compact(ring.next - 1);
  }
  ring.sealed.store(true, std::memory_order_release);
}

// --- readers ---

// Pins the chunk that holds the bytes [begin, end), which do not cross a boundary. Null when it was dropped meanwhile.
Chunk* TailRing::Impl::pin(std::uint64_t begin, std::uint64_t end) {
  Chunk* chunk = slot(table.load(std::memory_order_acquire), chunk_of(begin)).load(std::memory_order_acquire);
  if (chunk->pin(begin, end)) return chunk;
  unpin(chunk);
  return nullptr;
}

void TailRing::Impl::unpin(Chunk* chunk) {
  if (!chunk->unpin()) return;
  orphaned.fetch_sub(chunk->size(), std::memory_order_relaxed);
  chunk->free_bytes();
  chunk->next = returned.load(std::memory_order_relaxed);
  while (!returned.compare_exchange_weak(chunk->next, chunk, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

struct TailRing::Snapshot::Pins {
  explicit Pins(TailRing::Impl& of) : ring(of) {}
  ~Pins() { release(); }
  Pins(const Pins&) = delete;
  Pins& operator=(const Pins&) = delete;

  void release() {
    for (Chunk* chunk : chunks) ring.unpin(chunk);
    chunks.clear();
    spans.clear();
  }

  // Pins all of [from, to), oldest first. False, and nothing pinned, when the producer was faster.
  bool take(std::uint64_t from, std::uint64_t to) {
    const auto count = static_cast<std::size_t>(chunk_of(to - 1) - chunk_of(from) + 1);
    chunks.reserve(count);
    spans.reserve(count);
    while (from < to) {
      const std::uint64_t until = std::min(to, chunk_begin(chunk_of(from) + 1));
      Chunk* chunk = ring.pin(from, until);
      if (chunk == nullptr) {
        release();
        return false;
      }
      chunks.push_back(chunk);
      spans.emplace_back(chunk->bytes() + (from - chunk->begin()), until - from);
      from = until;
    }
    return true;
  }

  TailRing::Impl& ring;
  std::vector<Chunk*> chunks;
  std::vector<std::span<const std::byte>> spans;
};

TailRing::Snapshot TailRing::read(std::uint64_t from) const {
  // An attempt fails only if the producer reused a chunk between our load of the total and our pin. It reuses the oldest
  // one last of all (take_oldest: as late as the slack allows) and we pin that one first, so it must write tens of
  // kilobytes within some tens of nanoseconds, and 32 KiB more for each later chunk: it can only happen to a reader that
  // was taken off its core in just that moment. That it happens kAttempts times in a row does not happen; the bound is
  // there so that a reader cannot spin for ever, and it then says lossy, with offsets that are right.
  constexpr int kAttempts = 64;
  Snapshot shot;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    shot.sealed = impl_->sealed.load(std::memory_order_acquire);  // before the total: a sealed total is final
    shot.end = impl_->total.load(std::memory_order_acquire);
    const std::uint64_t window = shot.end > max_bytes_ ? shot.end - max_bytes_ : 0;
    shot.lossy = from < window;
    shot.begin = std::clamp(from, window, shot.end);
    if (shot.begin == shot.end) return shot;
    if (shot.pins_ == nullptr) shot.pins_ = std::make_unique<Snapshot::Pins>(*impl_);
    if (shot.pins_->take(shot.begin, shot.end)) return shot;
    if (attempt > 8) std::this_thread::yield();
  }
  shot.begin = shot.end;
  shot.lossy = true;
  return shot;
}

TailRing::Snapshot::Snapshot() noexcept = default;
TailRing::Snapshot::~Snapshot() = default;

TailRing::Snapshot::Snapshot(Snapshot&& other) noexcept { *this = std::move(other); }

TailRing::Snapshot& TailRing::Snapshot::operator=(Snapshot&& other) noexcept {
  if (this == &other) return *this;
  begin = std::exchange(other.begin, other.end);
  end = other.end;
  lossy = other.lossy;
  sealed = other.sealed;
  pins_ = std::move(other.pins_);
  return *this;
}

const std::vector<std::span<const std::byte>>& TailRing::Snapshot::spans() const noexcept {
  static const std::vector<std::span<const std::byte>> none;
  return pins_ == nullptr ? none : pins_->spans;
}

void TailRing::Snapshot::copy(std::byte* to) const noexcept {
  for (const auto span : spans()) {
    std::memcpy(to, span.data(), span.size());
    to += span.size();
  }
}

// --- the whole ---

TailRing::Impl::~Impl() {
  for (; first < next; ++first) {
    if (Chunk* chunk = at(first); drop(chunk)) discard(chunk);
  }
  for (Chunk* list : {spare, returned.load(std::memory_order_acquire)}) {
    while (list != nullptr) delete std::exchange(list, list->next);
  }
  Table* newest = table.load(std::memory_order_relaxed);
  while (newest != nullptr) delete std::exchange(newest, newest->older);
}

TailRing::TailRing(std::uint64_t max_bytes) : max_bytes_(max_bytes), impl_(std::make_unique<Impl>(max_bytes)) {}
TailRing::~TailRing() = default;

std::uint64_t TailRing::total() const noexcept { return impl_->total.load(std::memory_order_acquire); }
bool TailRing::sealed() const noexcept { return impl_->sealed.load(std::memory_order_acquire); }
std::uint64_t TailRing::retained() const noexcept { return std::min(total(), max_bytes_); }
std::size_t TailRing::footprint() const noexcept {
  return impl_->owned.load(std::memory_order_relaxed) + impl_->orphaned.load(std::memory_order_relaxed);
}

}  // namespace holdfast::core
