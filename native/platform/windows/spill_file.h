// The file that holds a complete stream once its tail has overflowed: in a directory of this process whose name cannot be
// guessed and that only its user may enter, made anew and never over anything that is there.
#pragma once
#include <cstddef>
#include <mutex>
#include <span>
#include <string>

#include "base.h"
#include "core/failure.h"

namespace holdfast::windows {

class SpillDirectory {
 public:
  SpillDirectory(std::string base, std::string prefix) : base_(std::move(base)), prefix_(std::move(prefix)) {}
  /// False: `failure` says why.
  bool create(const char* label, Handle& file, std::string& path, core::Failure& failure);
  void remove_if_empty();

 private:
  bool ensure(core::Failure& failure);

  const std::string base_, prefix_;
  std::mutex mutex_;
  std::string path_;
  unsigned next_ = 0;
};

/// One spill file on its way. Used by one thread at a time.
class SpillFile {
 public:
  bool open(SpillDirectory& directory, const char* label, core::Failure& failure) { return directory.create(label, file_, path_, failure); }
  bool append(std::span<const std::byte> bytes, core::Failure& failure);
  void close() { file_.reset(); }
  void discard();
  bool is_open() const { return static_cast<bool>(file_); }
  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }

 private:
  Handle file_;
  std::string path_;
  std::uint64_t size_ = 0;
};

}  // namespace holdfast::windows
