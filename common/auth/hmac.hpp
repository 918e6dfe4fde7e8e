// HMAC-SHA256 (RFC 2104, FIPS 180-4) and random bytes by OpenSSL.
//
// Thread rule: free functions; an HmacKey has one owner. Errors: none to handle. A failure inside
// OpenSSL (no memory or a broken installation) fails an assertion.
#pragma once

#include <openssl/types.h>

#include <array>
#include <memory>
#include <string_view>

namespace fixkeep::auth {

using Digest = std::array<unsigned char, 32>;

[[nodiscard]] Digest hmac_sha256(std::string_view key, std::string_view text);

struct FreeHmacContext {
  void operator()(EVP_MAC_CTX* context) const;
};
using HmacContext = std::unique_ptr<EVP_MAC_CTX, FreeHmacContext>;

// Signs many texts with one key, and hashes the key only one time. An object needs about 1 KB. The
// destructor wipes the key.
class HmacKey {
 public:
  explicit HmacKey(std::string_view key);

  [[nodiscard]] Digest sha256(std::string_view text);

 private:
  HmacContext context_;
};

// Returns true if the texts are equal. The time of the comparison does not depend on the place of
// the first difference.
[[nodiscard]] bool equal_in_constant_time(std::string_view one, std::string_view other);

[[nodiscard]] Digest random_bytes();

[[nodiscard]] inline std::string_view view_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace fixkeep::auth
