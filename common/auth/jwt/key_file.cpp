// A file of keys is a JWK Set (RFC 7517) or PEM: here its text becomes keys.
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>

#include <algorithm>
#include <array>

#include "common/auth/jwt/json_object.hpp"
#include "common/auth/jwt/token_key.hpp"
#include "common/base/base64.hpp"

namespace fixkeep::auth {
namespace {

using nlohmann::json;
// A key, nothing (it is for something else), or what is wrong.
using MaybeKey = std::variant<std::monostate, TokenKey, std::string>;

MaybeKey maybe(std::variant<TokenKey, std::string>&& read) {
  if (auto* key = std::get_if<TokenKey>(&read)) return std::move(*key);
  return std::get<std::string>(std::move(read));
}

std::string bytes_at(const json& key, std::string_view name) {
  const auto* text = text_at(key, name);
  return text == nullptr ? "" : from_base64url(*text).value_or("");
}

TokenKey::Public owned(EVP_PKEY* key) {
  return {key, EVP_PKEY_free};
}

// Null: the parameters are none of a public key.
TokenKey::Public from_parameters(const char* type, OSSL_PARAM_BLD* parameters) {
  OSSL_PARAM* const list = OSSL_PARAM_BLD_to_param(parameters);
  EVP_PKEY_CTX* const context = EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr);
  EVP_PKEY* key = nullptr;
  if (list == nullptr || context == nullptr || EVP_PKEY_fromdata_init(context) != 1 ||
      EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, list) != 1) {
    key = nullptr;
  }
  EVP_PKEY_CTX_free(context);
  OSSL_PARAM_free(list);
  return owned(key);
}

TokenKey::Public rsa_of(const std::string& modulus, const std::string& exponent) {
  if (modulus.empty() || exponent.empty() || modulus.size() > 2048 || exponent.size() > 8) {
    return nullptr;
  }
  const auto number = [](const std::string& bytes) {
    return BN_bin2bn(reinterpret_cast<const unsigned char*>(bytes.data()),
                     static_cast<int>(bytes.size()), nullptr);
  };
  OSSL_PARAM_BLD* const parameters = OSSL_PARAM_BLD_new();
  BIGNUM* const n = number(modulus);
  BIGNUM* const e = number(exponent);
  OSSL_PARAM_BLD_push_BN(parameters, OSSL_PKEY_PARAM_RSA_N, n);
  OSSL_PARAM_BLD_push_BN(parameters, OSSL_PKEY_PARAM_RSA_E, e);
  auto key = from_parameters("RSA", parameters);
  OSSL_PARAM_BLD_free(parameters);
  BN_free(n);
  BN_free(e);
  return key;
}

TokenKey::Public p256_of(const std::string& x, const std::string& y) {
  constexpr std::size_t coordinate = 32;
  if (x.size() != coordinate || y.size() != coordinate) return nullptr;
  const std::string point = '\x04' + x + y;
  OSSL_PARAM_BLD* const parameters = OSSL_PARAM_BLD_new();
  OSSL_PARAM_BLD_push_utf8_string(parameters, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0);
  OSSL_PARAM_BLD_push_octet_string(parameters, OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size());
  auto key = from_parameters("EC", parameters);
  OSSL_PARAM_BLD_free(parameters);
  return key;
}

TokenKey::Public ed25519_of(const std::string& x) {
  return owned(EVP_PKEY_new_raw_public_key(
      EVP_PKEY_ED25519, nullptr, reinterpret_cast<const unsigned char*>(x.data()), x.size()));
}

bool is_for_signatures(const json& key) {
  if (key.contains("use") && key["use"] != "sig") return false;
  if (!key.contains("key_ops")) return true;
  const json& uses = key["key_ops"];
  return uses.is_array() && std::find(uses.begin(), uses.end(), "verify") != uses.end();
}

MaybeKey made_of(const json& key, const std::string& type, const std::string& id) {
  const auto* curve = text_at(key, "crv");
  TokenKey::Public made;
  if (type == "oct") return maybe(TokenKey::of_secret(id, bytes_at(key, "k")));
  if (type == "RSA") {
    made = rsa_of(bytes_at(key, "n"), bytes_at(key, "e"));
  } else if (type == "EC" && curve != nullptr && *curve == "P-256") {
    made = p256_of(bytes_at(key, "x"), bytes_at(key, "y"));
  } else if (type == "OKP" && curve != nullptr && *curve == "Ed25519") {
    made = ed25519_of(bytes_at(key, "x"));
  } else {
    return {};
  }
  if (!made) return "has a key of type " + type + " that is none: look at its numbers";
  if (key.contains("d")) return "has a private key: keep that where tokens are made";
  return maybe(TokenKey::of_public(id, std::move(made)));
}

MaybeKey key_of_jwk(const json& key) {
  const auto* type = key.is_object() ? text_at(key, "kty") : nullptr;
  if (type == nullptr) return "has a key without a type (kty)";
  const auto* algorithm = text_at(key, "alg");
  if (!is_for_signatures(key)) return {};
  if (algorithm != nullptr && !parse_token_algorithm(*algorithm)) return {};
  const auto* id = text_at(key, "kid");
  auto made = made_of(key, *type, id == nullptr ? "" : *id);
  if (const auto* good = std::get_if<TokenKey>(&made);
      good != nullptr && algorithm != nullptr && *algorithm != to_string(good->algorithm())) {
    return "has a key of type " + *type + " that says it is for " + *algorithm;
  }
  return made;
}

std::variant<TokenKeys, std::string> keys_of_set(std::string_view text) {
  const auto set = strict_object(text);
  if (!set) return "is no JSON object, or has a name twice";
  const auto list = set->find("keys");
  if (list == set->end() || !list->is_array()) return "is no JWK Set: it has no list \"keys\"";
  TokenKeys keys;
  for (const json& entry : *list) {
    auto read = key_of_jwk(entry);
    if (const auto* refused = std::get_if<std::string>(&read)) return *refused;
    auto* key = std::get_if<TokenKey>(&read);
    if (key == nullptr) continue;
    if (std::any_of(keys.begin(), keys.end(), [&](const TokenKey& other) {
          return !key->id().empty() && other.id() == key->id();
        })) {
      return "has two keys of the kid " + key->id();
    }
    keys.push_back(std::move(*key));
  }
  if (keys.empty()) return "has no key for signatures of RS256, ES256, EdDSA or HS256";
  return keys;
}

std::variant<TokenKeys, std::string> keys_of_pem(std::string_view text) {
  if (text.find("PRIVATE KEY-----") != std::string_view::npos) {
    return "has a private key: give its public half, which openssl pkey -pubout writes";
  }
  BIO* const source = BIO_new_mem_buf(text.data(), static_cast<int>(text.size()));
  TokenKeys keys;
  std::string refused;
  while (refused.empty() && keys.size() <= most_token_keys) {
    auto key = owned(PEM_read_bio_PUBKEY(source, nullptr, nullptr, nullptr));
    if (!key) break;
    auto made = TokenKey::of_public("", std::move(key));
    if (const auto* wrong = std::get_if<std::string>(&made)) {
      refused = *wrong;
    } else {
      keys.push_back(std::get<TokenKey>(std::move(made)));
    }
  }
  BIO_free(source);
  if (!refused.empty()) return refused;
  if (keys.empty()) return "has no public key (-----BEGIN PUBLIC KEY-----) that can be read";
  return keys;
}

}  // namespace

std::variant<TokenKeys, std::string> read_token_keys(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "is empty";
  auto read = text[first] == '{' ? keys_of_set(text) : keys_of_pem(text);
  if (const auto* keys = std::get_if<TokenKeys>(&read);
      keys != nullptr && keys->size() > most_token_keys) {
    return "has more than " + std::to_string(most_token_keys) + " keys";
  }
  return read;
}

}  // namespace fixkeep::auth
