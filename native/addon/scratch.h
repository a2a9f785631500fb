// Memory for a moment, of any size and not zeroed: what a window is joined in before V8 copies it.
#pragma once
#include <cstddef>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace holdfast::addon {

class Scratch {
 public:
  /// Throws std::bad_alloc.
  explicit Scratch(std::size_t size) : size_(size) {
#if defined(__linux__)
    // A block of 64 MiB is 16,384 page faults, and they take longer than the copy. Where the kernel has huge pages for who
    // asks for them they are 32; where it has none the advice is refused, which changes nothing.
    if (size_ >= kHuge) {
      void* const at = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (at == MAP_FAILED) throw std::bad_alloc();
      ::madvise(at, size_, MADV_HUGEPAGE);
      data_ = static_cast<std::byte*>(at);
      return;
    }
#endif
    data_ = new std::byte[size_];
  }
  ~Scratch() {
#if defined(__linux__)
    if (size_ >= kHuge) {
      ::munmap(data_, size_);
      return;
    }
#endif
    delete[] data_;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::byte* data() { return data_; }

 private:
  static constexpr std::size_t kHuge = std::size_t{4} << 20;

  std::size_t size_;
  std::byte* data_ = nullptr;
};

}  // namespace holdfast::addon
