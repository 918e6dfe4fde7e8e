#include "common/auth/hmac.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include <string>

#include "common/base/assert.hpp"

namespace fixkeep::auth {
namespace {

// HMAC-SHA256 in a context that is made once a thread: fetching the algorithm costs more than
// hashing a seat token.
class HmacSha256 {
 public:
  HmacSha256() : algorithm_(EVP_MAC_fetch(nullptr, "HMAC", nullptr)) {
    FIXKEEP_ASSERT(algorithm_ != nullptr, "OpenSSL has no HMAC");
    context_ = EVP_MAC_CTX_new(algorithm_);
    FIXKEEP_ASSERT(context_ != nullptr, "OpenSSL has no memory for an HMAC");
    std::string digest = "SHA256";
    const std::array parameters{
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), digest.size()),
        OSSL_PARAM_construct_end()};
    FIXKEEP_ASSERT(EVP_MAC_CTX_set_params(context_, parameters.data()) == 1,
                   "OpenSSL has no SHA-256");
  }
  ~HmacSha256() {
    EVP_MAC_CTX_free(context_);
    EVP_MAC_free(algorithm_);
  }
  HmacSha256(const HmacSha256&) = delete;
  HmacSha256& operator=(const HmacSha256&) = delete;

  Digest operator()(std::string_view key, std::string_view text) {
    // OpenSSL takes a null pointer for "the key as before", not for an empty key.
    const char* key_data = key.empty() ? "" : key.data();
    Digest digest{};
    std::size_t size = 0;
    const bool done = EVP_MAC_init(context_, bytes(key_data), key.size(), nullptr) == 1 &&
                      EVP_MAC_update(context_, bytes(text.data()), text.size()) == 1 &&
                      EVP_MAC_final(context_, digest.data(), &size, digest.size()) == 1;
    FIXKEEP_ASSERT(done && size == digest.size(), "HMAC-SHA256 failed");
    return digest;
  }

 private:
  static const unsigned char* bytes(const char* text) {
    return reinterpret_cast<const unsigned char*>(text);
  }

  EVP_MAC* algorithm_;
  EVP_MAC_CTX* context_ = nullptr;
};

}  // namespace

Digest hmac_sha256(std::string_view key, std::string_view text) {
  thread_local HmacSha256 hmac;
  return hmac(key, text);
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
