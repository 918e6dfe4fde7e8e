#include "common/auth/jwt/token_key.hpp"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "common/auth/hmac.hpp"

namespace fixkeep::auth {
namespace {

constexpr int least_rsa_bits = 2048;
constexpr int most_rsa_bits = 8192;
constexpr std::size_t least_secret = 32;
constexpr std::size_t curve_bytes = 32;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// With an exponent of 1 every text would be its own signature.
bool has_sound_exponent(const EVP_PKEY* key) {
  BIGNUM* exponent = nullptr;
  if (EVP_PKEY_get_bn_param(key, "e", &exponent) != 1) return false;
  const bool sound = BN_is_odd(exponent) == 1 && BN_is_one(exponent) == 0;
  BN_free(exponent);
  return sound;
}

std::variant<TokenAlgorithm, std::string> algorithm_of(const EVP_PKEY* key) {
  const int bits = EVP_PKEY_get_bits(key);
  switch (EVP_PKEY_get_base_id(key)) {
    case EVP_PKEY_RSA:
      if (bits < least_rsa_bits || bits > most_rsa_bits) {
        return "is an RSA key of " + std::to_string(bits) + " bits: it must have 2048 to 8192";
      }
      if (!has_sound_exponent(key)) return "is an RSA key without a sound exponent";
      return TokenAlgorithm::rs256;
    case EVP_PKEY_EC: {
      std::array<char, 32> curve{};
      std::size_t length = 0;
      if (EVP_PKEY_get_group_name(key, curve.data(), curve.size(), &length) == 1 &&
          std::string_view(curve.data(), length) == "prime256v1") {
        return TokenAlgorithm::es256;
      }
      return "is on another curve than P-256";
    }
    case EVP_PKEY_ED25519: return TokenAlgorithm::eddsa;
    default: return "is of another type than RSA, P-256 and Ed25519";
  }
}

// Converts the two numbers of an ES256 signature to OpenSSL's form. Empty if the numbers are
// invalid.
std::string to_der(std::string_view signature) {
  if (signature.size() != 2 * curve_bytes) return {};
  ECDSA_SIG* const pair = ECDSA_SIG_new();
  BIGNUM* const r = BN_bin2bn(bytes_of(signature), curve_bytes, nullptr);
  BIGNUM* const s = BN_bin2bn(bytes_of(signature) + curve_bytes, curve_bytes, nullptr);
  std::string der;
  if (pair != nullptr && r != nullptr && s != nullptr && BN_is_zero(r) == 0 && BN_is_zero(s) == 0 &&
      ECDSA_SIG_set0(pair, r, s) == 1) {
    der.resize(static_cast<std::size_t>(std::max(0, i2d_ECDSA_SIG(pair, nullptr))));
    auto* out = reinterpret_cast<unsigned char*>(der.data());
    i2d_ECDSA_SIG(pair, &out);
  } else {
    BN_free(r);
    BN_free(s);
  }
  ECDSA_SIG_free(pair);
  return der;
}

}  // namespace

std::string_view to_string(TokenAlgorithm algorithm) {
  switch (algorithm) {
    case TokenAlgorithm::rs256: return "RS256";
    case TokenAlgorithm::es256: return "ES256";
    case TokenAlgorithm::eddsa: return "EdDSA";
    case TokenAlgorithm::hs256: return "HS256";
  }
  return "";
}

std::optional<TokenAlgorithm> parse_token_algorithm(std::string_view name) {
  for (const auto known : {TokenAlgorithm::rs256, TokenAlgorithm::es256, TokenAlgorithm::eddsa,
                           TokenAlgorithm::hs256}) {
    if (name == to_string(known)) return known;
  }
  return {};
}

std::variant<TokenKey, std::string> TokenKey::of_public(std::string id, Public key) {
  const auto algorithm = algorithm_of(key.get());
  if (const auto* refused = std::get_if<std::string>(&algorithm)) return *refused;
  TokenKey made{std::move(id), std::get<TokenAlgorithm>(algorithm)};
  made.public_ = std::move(key);
  return made;
}

std::variant<TokenKey, std::string> TokenKey::of_secret(std::string id, std::string secret) {
  if (secret.size() < least_secret) {
    return "is a secret of " + std::to_string(secret.size()) +
           " bytes: it must have 32 or more, for example from openssl rand -hex 32";
  }
  TokenKey made{std::move(id), TokenAlgorithm::hs256};
  made.secret_ = std::move(secret);
  return made;
}

bool TokenKey::verify(std::string_view text, std::string_view signature) const {
  switch (algorithm_) {
    case TokenAlgorithm::hs256:
      return equal_in_constant_time(view_of(hmac_sha256(secret_, text)), signature);
    case TokenAlgorithm::es256: {
      const std::string der = to_der(signature);
      return !der.empty() && verify_public(text, der);
    }
    case TokenAlgorithm::rs256:
      return signature.size() == static_cast<std::size_t>(EVP_PKEY_get_size(public_.get())) &&
             verify_public(text, signature);
    case TokenAlgorithm::eddsa: return signature.size() == 64 && verify_public(text, signature);
  }
  return false;
}

bool TokenKey::verify_public(std::string_view text, std::string_view signature) const {
  EVP_MD_CTX* const context = EVP_MD_CTX_new();
  const EVP_MD* const digest = algorithm_ == TokenAlgorithm::eddsa ? nullptr : EVP_sha256();
  const bool right = context != nullptr &&
                     EVP_DigestVerifyInit(context, nullptr, digest, nullptr, public_.get()) == 1 &&
                     EVP_DigestVerify(context, bytes_of(signature), signature.size(),
                                      bytes_of(text), text.size()) == 1;
  EVP_MD_CTX_free(context);
  return right;
}

bool operator==(const TokenKey& one, const TokenKey& other) {
  if (one.id_ != other.id_ || one.algorithm_ != other.algorithm_) return false;
  if (one.algorithm_ == TokenAlgorithm::hs256) return one.secret_ == other.secret_;
  return EVP_PKEY_eq(one.public_.get(), other.public_.get()) == 1;
}

}  // namespace fixkeep::auth
