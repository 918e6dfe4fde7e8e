#include "tests/support/token_issuer.hpp"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <array>

#include "common/auth/hmac.hpp"
#include "common/base/assert.hpp"
#include "common/base/base64.hpp"

namespace fixkeep::support {
namespace {

using auth::TokenAlgorithm;

std::string base64url(std::string_view bytes) {
  std::string text;
  append_base64url(bytes, text);
  return text;
}

EVP_PKEY* make_key(TokenAlgorithm algorithm, unsigned bits) {
  switch (algorithm) {
    case TokenAlgorithm::rs256: return EVP_RSA_gen(bits);
    case TokenAlgorithm::es256: return EVP_EC_gen("P-256");
    case TokenAlgorithm::eddsa: return EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
    case TokenAlgorithm::hs256: return nullptr;
  }
  return nullptr;
}

std::string written(int (*write)(BIO*, const EVP_PKEY*), const EVP_PKEY* key) {
  BIO* const out = BIO_new(BIO_s_mem());
  FIXKEEP_ASSERT(write(out, key) == 1, "no PEM");
  char* text = nullptr;
  const auto length = BIO_get_mem_data(out, &text);
  std::string pem{text, static_cast<std::size_t>(length)};
  BIO_free(out);
  return pem;
}

// Two numbers of 32 bytes, of what OpenSSL writes as DER.
std::string raw_signature(std::string_view der) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  ECDSA_SIG* const pair = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size()));
  std::array<unsigned char, 64> raw{};
  BN_bn2binpad(ECDSA_SIG_get0_r(pair), raw.data(), 32);
  BN_bn2binpad(ECDSA_SIG_get0_s(pair), raw.data() + 32, 32);
  ECDSA_SIG_free(pair);
  return {reinterpret_cast<const char*>(raw.data()), raw.size()};
}

}  // namespace

TokenIssuer::TokenIssuer(TokenAlgorithm algorithm, std::string kid, unsigned bits)
    : algorithm_(algorithm), kid_(std::move(kid)), key_(make_key(algorithm, bits), EVP_PKEY_free) {
  FIXKEEP_ASSERT(key_ != nullptr, "no key");
}

TokenIssuer TokenIssuer::of_secret(std::string secret, std::string kid) {
  TokenIssuer issuer;
  issuer.secret_ = std::move(secret);
  issuer.kid_ = std::move(kid);
  return issuer;
}

std::string TokenIssuer::token(std::string_view claims) const {
  std::string head = R"({"alg":")" + std::string{to_string(algorithm_)} + '"';
  if (!kid_.empty()) head += R"(,"kid":")" + kid_ + '"';
  return token(head + '}', claims);
}

std::string TokenIssuer::token(std::string_view head, std::string_view claims) const {
  return as_token(head, claims, sign(base64url(head) + '.' + base64url(claims)));
}

std::string TokenIssuer::sign(std::string_view text) const {
  if (algorithm_ == TokenAlgorithm::hs256) {
    return std::string{auth::view_of(auth::hmac_sha256(secret_, text))};
  }
  EVP_MD_CTX* const context = EVP_MD_CTX_new();
  const EVP_MD* const digest = algorithm_ == TokenAlgorithm::eddsa ? nullptr : EVP_sha256();
  std::string signature(2048, '\0');
  std::size_t length = signature.size();
  auto* const out = reinterpret_cast<unsigned char*>(signature.data());
  const auto* const in = reinterpret_cast<const unsigned char*>(text.data());
  FIXKEEP_ASSERT(EVP_DigestSignInit(context, nullptr, digest, nullptr, key_.get()) == 1 &&
                     EVP_DigestSign(context, out, &length, in, text.size()) == 1,
                 "not signed");
  EVP_MD_CTX_free(context);
  signature.resize(length);
  return algorithm_ == TokenAlgorithm::es256 ? raw_signature(signature) : signature;
}

std::string TokenIssuer::parameter(const char* name) const {
  BIGNUM* number = nullptr;
  FIXKEEP_ASSERT(EVP_PKEY_get_bn_param(key_.get(), name, &number) == 1, name);
  const bool of_curve = algorithm_ == TokenAlgorithm::es256;
  std::string bytes(of_curve ? 32U : static_cast<std::size_t>(BN_num_bytes(number)), '\0');
  BN_bn2binpad(number, reinterpret_cast<unsigned char*>(bytes.data()),
               static_cast<int>(bytes.size()));
  BN_free(number);
  return base64url(bytes);
}

std::string TokenIssuer::jwk() const {
  const std::string id = kid_.empty() ? "" : R"(,"kid":")" + kid_ + '"';
  switch (algorithm_) {
    case TokenAlgorithm::rs256:
      return R"({"kty":"RSA","n":")" + parameter(OSSL_PKEY_PARAM_RSA_N) + R"(","e":")" +
             parameter(OSSL_PKEY_PARAM_RSA_E) + '"' + id + '}';
    case TokenAlgorithm::es256:
      return R"({"kty":"EC","crv":"P-256","x":")" + parameter(OSSL_PKEY_PARAM_EC_PUB_X) +
             R"(","y":")" + parameter(OSSL_PKEY_PARAM_EC_PUB_Y) + '"' + id + '}';
    case TokenAlgorithm::eddsa: {
      std::array<unsigned char, 32> raw{};
      std::size_t length = raw.size();
      EVP_PKEY_get_raw_public_key(key_.get(), raw.data(), &length);
      return R"({"kty":"OKP","crv":"Ed25519","x":")" +
             base64url({reinterpret_cast<const char*>(raw.data()), length}) + '"' + id + '}';
    }
    case TokenAlgorithm::hs256:
      return R"({"kty":"oct","k":")" + base64url(secret_) + '"' + id + '}';
  }
  return "";
}

std::string TokenIssuer::public_pem() const {
  return written(PEM_write_bio_PUBKEY, key_.get());
}

std::string TokenIssuer::private_pem() const {
  return written(
      [](BIO* out, const EVP_PKEY* key) {
        return PEM_write_bio_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr);
      },
      key_.get());
}

auth::TokenKeys TokenIssuer::keys() const {
  auto read = auth::read_token_keys(jwk_set());
  FIXKEEP_ASSERT(read.index() == 0, std::get<std::string>(read));
  return std::get<auth::KeyFile>(std::move(read)).keys;
}

std::string as_token(std::string_view head, std::string_view claims, std::string_view signature) {
  return base64url(head) + '.' + base64url(claims) + '.' + base64url(signature);
}

}  // namespace fixkeep::support
