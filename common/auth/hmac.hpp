// HMAC-SHA256 (RFC 2104, FIPS 180-4) and random bytes by OpenSSL.
//
// Thread rule: free functions; an HmacKey has one owner. Errors: none to handle. A failure inside
// OpenSSL means no memory or a broken installation. It asserts.
#pragma once

#include <openssl/types.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

namespace fixkeep::auth {

using Digest = std::array<unsigned char, 32>;

[[nodiscard]] Digest hmac_sha256(std::string_view key, std::string_view text);

struct FreeHmacContext {
  void operator()(EVP_MAC_CTX* context) const;
};
using HmacContext = std::unique_ptr<EVP_MAC_CTX, FreeHmacContext>;

// A key for many texts. It is hashed once. About 1 KB; wiped when it is gone.
class HmacKey {
 public:
  explicit HmacKey(std::string_view key);

  [[nodiscard]] Digest sha256(std::string_view text);

 private:
  HmacContext context_;
};

// Takes the same time wherever the two differ.
[[nodiscard]] bool equal_in_constant_time(std::string_view one, std::string_view other);

[[nodiscard]] Digest random_bytes();

[[nodiscard]] inline std::string_view view_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace fixkeep::auth
