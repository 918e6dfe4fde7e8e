// Makes a random number and a random key for one run of a process. No other run has the same.
#pragma once

#include <string_view>

#include "common/auth/hmac.hpp"
#include "common/base/ids.hpp"
#include "common/base/sip_hash.hpp"

namespace fixkeep::auth {

[[nodiscard]] inline Incarnation new_incarnation() {
  std::uint64_t number = 0;
  const auto bytes = random_bytes();
  for (const auto byte : view_of(bytes).substr(0, sizeof(number))) {
    number = number << 8U | static_cast<unsigned char>(byte);
  }
  return Incarnation{number};
}

[[nodiscard]] inline SipKey new_sip_key() {
  const auto bytes = random_bytes();
  const std::string_view drawn = view_of(bytes);
  return {sip::word_of(drawn.substr(0, 8)), sip::word_of(drawn.substr(8, 8))};
}

}  // namespace fixkeep::auth
