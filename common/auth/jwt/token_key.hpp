// The keys that verify players' tokens (RFC 7515, RFC 7517, RFC 7518, RFC 8037).
//
// A key has one algorithm. The type of the key decides the algorithm; the token never does. RSA
// means RS256, P-256 means ES256, Ed25519 means EdDSA, and a secret means HS256. A public key is
// never used as a secret.
//
// Invariants: 1. an RSA key has 2048 bits or more, and a secret has 32 bytes or more.
//             2. no private key is stored, only public keys and HS256 secrets.
// Thread rule: a value that does not change; verify() may run on any thread. Bounds: a file of 1
// MiB, its first 256 entries, 64 keys; RSA up to 8192 bits. Errors: one sentence that names the
// necessary change.
#pragma once

#include <openssl/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fixkeep::auth {

enum class TokenAlgorithm : std::uint8_t { rs256, es256, eddsa, hs256 };

// The names used in tokens: "RS256", "ES256", "EdDSA", "HS256".
[[nodiscard]] std::string_view to_string(TokenAlgorithm algorithm);
[[nodiscard]] std::optional<TokenAlgorithm> parse_token_algorithm(std::string_view name);

class TokenKey {
 public:
  using Public = std::shared_ptr<EVP_PKEY>;

  // Makes a public key. Returns a sentence if its type is not supported.
  [[nodiscard]] static std::variant<TokenKey, std::string> of_public(std::string id, Public key);
  // Makes an HS256 secret. Returns a sentence if the secret is too short.
  [[nodiscard]] static std::variant<TokenKey, std::string> of_secret(std::string id,
                                                                     std::string secret);

  // The key's `kid` in tokens; empty if the key has no `kid`.
  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] TokenAlgorithm algorithm() const { return algorithm_; }

  // True if `signature` (bytes) is this key's signature for `text`.
  [[nodiscard]] bool verify(std::string_view text, std::string_view signature) const;

  friend bool operator==(const TokenKey& one, const TokenKey& other);

 private:
  TokenKey(std::string id, TokenAlgorithm algorithm) : id_(std::move(id)), algorithm_(algorithm) {}
  [[nodiscard]] bool verify_public(std::string_view text, std::string_view signature) const;

  std::string id_;
  TokenAlgorithm algorithm_;
  Public public_;       // null for HS256
  std::string secret_;  // secret of HS256
};

using TokenKeys = std::vector<TokenKey>;
inline constexpr std::size_t most_token_keys = 64;

// The contents of a key file. Other programs write key files, so one bad entry does not make the
// whole file invalid.
struct KeyFile {
  TokenKeys keys;                     // at least one key; a `kid` may be repeated
  std::vector<std::string> left_out;  // omitted entries with reasons: "key 2 (kid "a"), which is …"
};
inline constexpr std::size_t key_file_bytes = 1024 * 1024;

// Reads a JWK Set or public keys and certificates in PEM. Keys for other uses (encryption, other
// algorithms) are silently omitted. Returns a sentence if no key is usable.
[[nodiscard]] std::variant<KeyFile, std::string> read_token_keys(std::string_view text);

}  // namespace fixkeep::auth
