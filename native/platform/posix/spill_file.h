// The file that holds a complete stream once its tail has overflowed.
//
// Files are 0600 in a 0700 directory of this process whose name cannot be guessed, opened exclusively and never through
// a link, so that nobody can plant the place where output is written or read somebody else's output.
#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "core/failure.h"
#include "descriptors.h"

namespace holdfast::posix {

/// One private directory per base directory and prefix; made when the first spill needs it, and made again when it has
/// vanished (temp cleaners do that).
class SpillDirectory {
 public:
  SpillDirectory(std::string base, std::string prefix) : base_(std::move(base)), prefix_(std::move(prefix)) {}

  /// Creates `<prefix><pid>-<n>-<12 hex>-<label>.log` in it. False: `failure` says why.
  bool create(const char* label, Fd& file, std::string& path, core::Failure& failure);
  /// Removes the directory if it is empty; it is made again when it is needed again.
  void remove_if_empty();

 private:
  Fd open_directory(core::Failure& failure);
  static Fd open_private(const std::string& path, core::Failure& failure);

  const std::string base_, prefix_;
  std::mutex mutex_;
  std::string path_;
  unsigned next_ = 0;
};

/// One spill file on its way. Used by one thread.
class SpillFile {
 public:
  bool open(SpillDirectory& directory, const char* label, core::Failure& failure);
  /// Appends all of `bytes`. False: `failure` says why, and the file should be discarded.
  bool append(std::span<const std::byte> bytes, core::Failure& failure);
  /// False: close(2) failed, so the data may not be there.
  bool close(core::Failure& failure);
  /// Closes and unlinks; a failing unlink is tolerated (the file is ours, private, and incomplete).
  void discard();

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }

 private:
  Fd file_;
  std::string path_;
  std::uint64_t size_ = 0;
};

}  // namespace holdfast::posix
