// What a process is born with: the list of attributes of CreateProcess.
#pragma once
#include <vector>

#include "base.h"

#ifndef PROC_THREAD_ATTRIBUTE_JOB_LIST
#define PROC_THREAD_ATTRIBUTE_JOB_LIST ProcThreadAttributeValue(13, FALSE, TRUE, FALSE)
#endif
#ifndef PROC_THREAD_ATTRIBUTE_PSEUDOCONSOLE
#define PROC_THREAD_ATTRIBUTE_PSEUDOCONSOLE ProcThreadAttributeValue(22, FALSE, TRUE, FALSE)
#endif

namespace holdfast::windows {

class AttributeList {
 public:
  explicit AttributeList(DWORD count) {
    SIZE_T size = 0;
    ::InitializeProcThreadAttributeList(nullptr, count, 0, &size);
    memory_.resize(size);
    if (::InitializeProcThreadAttributeList(get(), count, 0, &size)) return;
    error_ = ::GetLastError();
    memory_.clear();
  }
  ~AttributeList() {
    if (!memory_.empty()) ::DeleteProcThreadAttributeList(get());
  }
  AttributeList(const AttributeList&) = delete;
  AttributeList& operator=(const AttributeList&) = delete;

  /// `value` is kept by reference until the process is made.
  void set(DWORD_PTR name, void* value, SIZE_T size) {
    if (error_ == 0 && !::UpdateProcThreadAttribute(get(), 0, name, value, size, nullptr, nullptr)) error_ = ::GetLastError();
  }
  DWORD error() const { return error_; }
  LPPROC_THREAD_ATTRIBUTE_LIST get() { return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory_.data()); }

 private:
  std::vector<char> memory_;
  DWORD error_ = 0;
};

}  // namespace holdfast::windows
