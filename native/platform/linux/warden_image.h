// The warden's executable, embedded by scripts/embed-warden.mjs.
#pragma once
#include <cstddef>

namespace holdfast {

extern const unsigned char warden_image[];
extern const std::size_t warden_image_size;

}  // namespace holdfast
