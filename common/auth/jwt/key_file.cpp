// Reads the text of a key file: a JWK Set (RFC 7517) or PEM.
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <array>

#include "common/auth/jwt/json_object.hpp"
#include "common/auth/jwt/token_key.hpp"
#include "common/base/base64.hpp"
#include "common/base/printable.hpp"

namespace fixkeep::auth {
namespace {

using nlohmann::json;
// The result for one entry: a key; nothing for a key of another type or use, which is omitted
// silently; or the reason why the key is unusable. The reason is the rest of a sentence that begins
// with "the key".
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

// Makes a public key; null if the parameters are invalid.
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

// Treats null as missing: some libraries write null for an absent member.
const json* member(const json& key, const char* name) {
  const auto found = key.find(name);
  return found == key.end() || found->is_null() ? nullptr : &*found;
}

bool is_for_signatures(const json& key) {
  if (const json* use = member(key, "use"); use != nullptr && *use != "sig") return false;
  const json* uses = member(key, "key_ops");
  if (uses == nullptr) return true;
  return uses->is_array() && std::find(uses->begin(), uses->end(), "verify") != uses->end();
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
  if (!made) return "is of type " + type + " and has numbers that cannot be read";
  if (member(key, "d") != nullptr) return "has its private half: keep that where tokens are made";
  return maybe(TokenKey::of_public(id, std::move(made)));
}

MaybeKey key_of_jwk(const json& key) {
  if (key.is_string()) return key.get<std::string>();  // the text of object_of_list()
  const auto* type = key.is_object() ? text_at(key, "kty") : nullptr;
  if (type == nullptr) return "has no type (kty)";
  const auto* algorithm = text_at(key, "alg");
  if (!is_for_signatures(key)) return {};
  if (algorithm != nullptr && !parse_token_algorithm(*algorithm)) return {};
  const auto* id = text_at(key, "kid");
  auto made = made_of(key, *type, id == nullptr ? "" : *id);
  if (const auto* good = std::get_if<TokenKey>(&made);
      good != nullptr && algorithm != nullptr && *algorithm != to_string(good->algorithm())) {
    return "is of type " + *type + " and says that it is for " + *algorithm;
  }
  return made;
}

// For example "key 2 (kid "a")". The first entry has number 1.
std::string name_of(std::size_t place, const json& key) {
  constexpr std::size_t most = 64;
  const auto* id = key.is_object() ? text_at(key, "kid") : nullptr;
  const std::string name = "key " + std::to_string(place);
  return id == nullptr ? name : name + " (kid \"" + printable(id->substr(0, most)) + "\")";
}

// Collects the keys of a file, and the reasons for omitted entries.
class Taker {
 public:
  // Adds the key or the reason. Returns false if the file has too many entries; then the rest is
  // not read.
  bool take(const std::string& name, MaybeKey&& read) {
    if (keys_.size() == most_token_keys || ++looked_at_ > most_entries) {
      left_out_.push_back(name + " and all after it: the file has too many keys");
      return false;
    }
    if (auto* reason = std::get_if<std::string>(&read)) {
      left_out_.push_back(name + ", which " + *reason);
    } else if (auto* key = std::get_if<TokenKey>(&read);
               key != nullptr && std::find(keys_.begin(), keys_.end(), *key) == keys_.end()) {
      keys_.push_back(std::move(*key));
    }
    return true;
  }
  std::variant<KeyFile, std::string> result(std::string_view without_any) && {
    if (!keys_.empty()) return KeyFile{std::move(keys_), std::move(left_out_)};
    if (left_out_.empty()) return std::string{without_any};
    return "has no key that can be used: it is read without " + left_out_.front();
  }

 private:
  // Limits the time to read a file, because OpenSSL needs up to 0.2 ms to read a key.
  static constexpr std::size_t most_entries = 4 * most_token_keys;

  TokenKeys keys_;
  std::vector<std::string> left_out_;
  std::size_t looked_at_ = 0;
};

std::variant<KeyFile, std::string> keys_of_set(std::string_view text) {
  const auto set = object_of_list(text);
  if (!set) return "is no JSON object, or has a name twice";
  const auto list = set->find("keys");
  if (list == set->end() || !list->is_array()) return "is no JWK Set: it has no list \"keys\"";
  Taker taker;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const json& entry = (*list)[i];
    if (!taker.take(name_of(i + 1, entry), key_of_jwk(entry))) break;
  }
  return std::move(taker).result("has no key for signatures of RS256, ES256, EdDSA or HS256");
}

// Reads the key from one PEM block.
MaybeKey key_of_block(std::string_view name, const unsigned char* bytes, long size) {
  TokenKey::Public key;
  if (name == PEM_STRING_PUBLIC) key = owned(d2i_PUBKEY(nullptr, &bytes, size));
  if (name == PEM_STRING_X509) {
    X509* const certificate = d2i_X509(nullptr, &bytes, size);
    key = owned(certificate == nullptr ? nullptr : X509_get_pubkey(certificate));
    X509_free(certificate);
  }
  if (!key) return "cannot be read as PUBLIC KEY or CERTIFICATE: it is a " + printable(name);
  return maybe(TokenKey::of_public("", std::move(key)));
}

std::variant<KeyFile, std::string> keys_of_pem(std::string_view text) {
  if (text.find("PRIVATE KEY-----") != std::string_view::npos) {
    return "has a private key: give its public half, which openssl pkey -pubout writes";
  }
  BIO* const source = BIO_new_mem_buf(text.data(), static_cast<int>(text.size()));
  Taker taker;
  bool more = true;
  for (std::size_t place = 1; more; ++place) {
    char* name = nullptr;
    char* head = nullptr;
    unsigned char* bytes = nullptr;
    long size = 0;
    if (PEM_read_bio(source, &name, &head, &bytes, &size) != 1) break;
    more = taker.take("key " + std::to_string(place), key_of_block(name, bytes, size));
    OPENSSL_free(name);
    OPENSSL_free(head);
    OPENSSL_free(bytes);
  }
  BIO_free(source);
  return std::move(taker).result("has no public key (-----BEGIN PUBLIC KEY-----) or certificate");
}

}  // namespace

std::variant<KeyFile, std::string> read_token_keys(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "is empty";
  if (text.size() > key_file_bytes) return "is larger than 1 MiB";
  return text[first] == '{' ? keys_of_set(text) : keys_of_pem(text);
}

}  // namespace fixkeep::auth
