// The wall clock: it decides when tokens and invitations expire.
// Thread rule: a free function. Errors: none.
#pragma once

#include <chrono>

#include "common/auth/seat_token.hpp"

namespace fixkeep::master {

[[nodiscard]] inline auth::WallTime wall_now() {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

}  // namespace fixkeep::master
