#include "common/auth/hmac.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include "common/base/assert.hpp"

namespace fixkeep::auth {
namespace {

constexpr std::size_t block_bytes = 64;

// One-shot digests over a context that is made once a thread: fetching the algorithm costs more
// than hashing a seat token.
class Sha256 {
 public:
  Sha256() : algorithm_(EVP_MD_fetch(nullptr, "SHA256", nullptr)), context_(EVP_MD_CTX_new()) {
    FIXKEEP_ASSERT(algorithm_ != nullptr && context_ != nullptr, "OpenSSL has no SHA-256");
  }
  ~Sha256() {
    EVP_MD_CTX_free(context_);
    EVP_MD_free(algorithm_);
  }
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  Digest operator()(std::string_view first, std::string_view second) {
    Digest digest{};
    const bool done = EVP_DigestInit_ex2(context_, algorithm_, nullptr) == 1 &&
                      EVP_DigestUpdate(context_, first.data(), first.size()) == 1 &&
                      EVP_DigestUpdate(context_, second.data(), second.size()) == 1 &&
                      EVP_DigestFinal_ex(context_, digest.data(), nullptr) == 1;
    FIXKEEP_ASSERT(done, "SHA-256 failed");
    return digest;
  }

 private:
  EVP_MD* algorithm_;
  EVP_MD_CTX* context_;
};

}  // namespace

Digest hmac_sha256(std::string_view key, std::string_view text) {
  thread_local Sha256 hash;
  std::array<char, block_bytes> inner{};
  if (key.size() > block_bytes) {
    const auto shortened = hash(key, {});
    std::copy(shortened.begin(), shortened.end(), inner.begin());
  } else {
    std::copy(key.begin(), key.end(), inner.begin());
  }
  auto outer = inner;
  for (auto& byte : inner) byte = static_cast<char>(byte ^ 0x36);
  for (auto& byte : outer) byte = static_cast<char>(byte ^ 0x5c);
  const auto digest = hash({inner.data(), inner.size()}, text);
  return hash({outer.data(), outer.size()}, view_of(digest));
}

bool equal_in_constant_time(std::string_view one, std::string_view other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

Digest random_bytes() {
  Digest bytes{};
  FIXKEEP_ASSERT(RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1, "no randomness");
  return bytes;
}

}  // namespace fixkeep::auth
