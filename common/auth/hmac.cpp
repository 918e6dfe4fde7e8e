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

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// Fetches HMAC from OpenSSL only one time: a fetch takes longer than the hash of a seat token.
EVP_MAC* algorithm() {
  static EVP_MAC* const fetched = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
  FIXKEEP_ASSERT(fetched != nullptr, "OpenSSL has no HMAC");
  return fetched;
}

HmacContext make_context() {
  HmacContext context{EVP_MAC_CTX_new(algorithm())};
  FIXKEEP_ASSERT(context != nullptr, "OpenSSL has no memory for an HMAC");
  std::string digest = "SHA256";
  const std::array parameters{
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), digest.size()),
      OSSL_PARAM_construct_end()};
  FIXKEEP_ASSERT(EVP_MAC_CTX_set_params(context.get(), parameters.data()) == 1,
                 "OpenSSL has no SHA-256");
  return context;
}

void begin(EVP_MAC_CTX* context, std::string_view key) {
  // The pointer of an empty view may be null, which means "the previous key" to OpenSSL.
  const std::string_view given = key.empty() ? std::string_view{""} : key;
  FIXKEEP_ASSERT(EVP_MAC_init(context, bytes(given), given.size(), nullptr) == 1,
                 "HMAC-SHA256 failed");
}

Digest end(EVP_MAC_CTX* context, std::string_view text) {
  Digest digest{};
  std::size_t size = 0;
  const bool done = EVP_MAC_update(context, bytes(text), text.size()) == 1 &&
                    EVP_MAC_final(context, digest.data(), &size, digest.size()) == 1;
  FIXKEEP_ASSERT(done && size == digest.size(), "HMAC-SHA256 failed");
  return digest;
}

}  // namespace

HmacKey::HmacKey(std::string_view key) : context_(make_context()) {
  begin(context_.get(), key);
}

void FreeHmacContext::operator()(EVP_MAC_CTX* context) const {
  EVP_MAC_CTX_free(context);
}

Digest HmacKey::sha256(std::string_view text) {
  const auto digest = end(context_.get(), text);
  const bool ready = EVP_MAC_init(context_.get(), nullptr, 0, nullptr) == 1;  // null: the same key
  FIXKEEP_ASSERT(ready, "HMAC-SHA256 failed");
  return digest;
}

Digest hmac_sha256(std::string_view key, std::string_view text) {
  thread_local const HmacContext context = make_context();
  begin(context.get(), key);
  return end(context.get(), text);
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
