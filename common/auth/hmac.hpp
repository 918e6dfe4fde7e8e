// HMAC-SHA256 (RFC 2104, FIPS 180-4) and random bytes, by OpenSSL.
//
// Thread rule: free functions. Errors: none that a caller could handle; a failure inside OpenSSL is
// out of memory or a broken installation, and asserts.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace fixkeep::auth {

using Digest = std::array<unsigned char, 32>;

[[nodiscard]] Digest hmac_sha256(std::string_view key, std::string_view text);

// Takes the same time wherever the two differ.
[[nodiscard]] bool equal_in_constant_time(std::string_view one, std::string_view other);

[[nodiscard]] Digest random_bytes();

[[nodiscard]] inline std::string_view view_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace fixkeep::auth
