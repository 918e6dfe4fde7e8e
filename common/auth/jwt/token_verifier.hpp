// Verifies tokens of players: JSON Web Tokens (RFC 7519). A token is a signed text of three parts
// (RFC 7515). It is read as strictly as RFC 8725 asks.
//
// Only configured keys count. A key that a token brings or points at is never used: `jku`, `x5u`,
// `x5c` and `jwk` of its head are ignored. `kid` is only compared. The algorithm is the key's; a
// head that names another one is refused. The claims count only after the signature is verified. A
// token that has ended by its own claim is refused unverified.
//
// Thread rule: a value that does not change. Reads no clock. Bounds: tokens of 8 KiB; a token
// without `kid` is tried with 16 keys. Errors: TokenRefusal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "common/auth/jwt/token_key.hpp"
#include "common/auth/seat_token.hpp"
#include "common/base/ids.hpp"

namespace fixkeep::auth {

// A token has to say this and have a right signature.
struct TokenRules {
  std::string issuer;                // `iss`
  std::string audience;              // `aud`, or one of them
  std::string player_claim = "sub";  // names the player
  // Tolerance between the issuer's clock and ours: machines that set their clocks by NTP are within
  // a second, and a token that has just ended harms nobody.
  std::chrono::milliseconds leeway{30'000};

  friend bool operator==(const TokenRules&, const TokenRules&) = default;
};

// One for each counted cause of refusals.
enum class TokenFault : std::uint8_t {
  no_token,         // does not have three parts
  unreadable,       // a part is no base64url, or no JSON object; or `kid` is no text
  too_long,         // longer than token_bytes
  wrong_type,       // `typ` says that it is for another purpose
  wrong_algorithm,  // no key of ours has this algorithm
  critical_header,  // `crit` names something that has to be understood, and nothing of it is
  unknown_key,      // no key of the algorithm has its `kid`
  too_many_keys,    // possible keys beyond keys_tried
  bad_signature,    // the key has not signed it
  no_issuer,
  wrong_issuer,
  no_audience,
  wrong_audience,
  no_expiry,
  wrong_expiry,  // `exp` is no time in seconds
  expired,
  wrong_begin,  // `nbf` is no time in seconds
  not_yet,      // earlier than its `nbf`
  no_player,
  wrong_player,  // the claim cannot be a player id
};
inline constexpr std::size_t token_faults = static_cast<std::size_t>(TokenFault::wrong_player) + 1;

[[nodiscard]] std::string_view to_string(TokenFault fault);

struct TokenRefusal {
  TokenFault fault;
  std::string detail;  // "its issuer (iss) is "a" and must be "b"": the value and the expected one
};

struct PlayerToken {
  PlayerId player;
  WallTime ends;  // it counts before then: its `exp` and the leeway
};

class TokenVerifier {
 public:
  static constexpr std::size_t token_bytes = 8192;
  static constexpr std::size_t player_bytes = 128;
  static constexpr std::size_t keys_tried = 16;

  TokenVerifier(TokenRules rules, TokenKeys keys)
      : rules_(std::move(rules)), keys_(std::move(keys)) {}

  [[nodiscard]] std::variant<PlayerToken, TokenRefusal> verify(std::string_view token,
                                                               WallTime now) const;

  friend bool operator==(const TokenVerifier&, const TokenVerifier&) = default;

 private:
  TokenRules rules_;
  TokenKeys keys_;
};

}  // namespace fixkeep::auth
