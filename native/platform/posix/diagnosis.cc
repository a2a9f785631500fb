#include "diagnosis.h"

#include <sys/resource.h>

#include <limits>

namespace holdfast::posix {

double soft_limit(int resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return -1;
  return limit.rlim_cur == RLIM_INFINITY ? std::numeric_limits<double>::infinity() : static_cast<double>(limit.rlim_cur);
}

}  // namespace holdfast::posix
