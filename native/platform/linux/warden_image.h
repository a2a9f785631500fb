// The warden's executable, embedded in the addon. The build generates the definitions (scripts/embed-warden.mjs) from
// the very file that it puts beside the addon.
#pragma once
#include <cstddef>

namespace holdfast {

extern const unsigned char warden_image[];
extern const std::size_t warden_image_size;  // bytes

}  // namespace holdfast
