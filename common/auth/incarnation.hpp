// A number for one run of one process, unlike that of any other run.
#pragma once

#include "common/auth/hmac.hpp"
#include "common/base/ids.hpp"

namespace fixkeep::auth {

[[nodiscard]] inline Incarnation new_incarnation() {
  std::uint64_t number = 0;
  const auto bytes = random_bytes();
  for (const auto byte : view_of(bytes).substr(0, sizeof(number))) {
    number = number << 8U | static_cast<unsigned char>(byte);
  }
  return Incarnation{number};
}

}  // namespace fixkeep::auth
