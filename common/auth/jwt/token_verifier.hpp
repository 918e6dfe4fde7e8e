// Verifies players' tokens: JSON Web Tokens (RFC 7519), each a signed text with three parts (RFC
// 7515). The checks are as strict as RFC 8725 requires.
//
// Only configured keys are used. The head of a token may contain a key or a link to a key (`jku`,
// `x5u`, `x5c`, `jwk`): these are ignored. `kid` is only compared. The key decides the algorithm; a
// token whose head names another algorithm is refused. Claims are trusted only after the signature
// is verified. A token that has expired according to its own claim is refused without verification.
//
// Thread rule: a value that does not change. Reads no clock. Bounds: tokens of 8 KiB; a token that
// more than 16 keys may have signed is refused. Errors: TokenRefusal.
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

// The claims that a token must have in addition to a valid signature.
struct TokenRules {
  std::string issuer;                // `iss`
  std::string audience;              // `aud`, or one entry of `aud`
  std::string player_claim = "sub";  // claim with the player's id
  // Allowed difference between the issuer's clock and ours. With NTP, clocks differ by less than a
  // second. A token that is accepted half a minute after its expiry does no harm.
  std::chrono::milliseconds leeway{30'000};

  friend bool operator==(const TokenRules&, const TokenRules&) = default;
};

// The causes of refusals; each has its own counter.
enum class TokenFault : std::uint8_t {
  no_token,         // the text does not have three parts
  unreadable,       // a part is not base64url or not a JSON object, or `kid` is not text
  too_long,         // longer than token_bytes
  wrong_type,       // `typ` names another purpose
  wrong_algorithm,  // none of our keys has this algorithm
  critical_header,  // `crit` is present; we support no extension
  unknown_key,      // no key of the algorithm has this `kid`
  too_many_keys,    // more than keys_tried keys are possible
  bad_signature,    // not signed by the key
  no_issuer,
  wrong_issuer,
  no_audience,
  wrong_audience,
  no_expiry,
  wrong_expiry,  // `exp` is not a time in seconds
  expired,
  wrong_begin,  // `nbf` is not a time in seconds
  not_yet,      // its `nbf` is in the future
  no_player,
  wrong_player,  // the claim's value cannot be a player id
};
inline constexpr std::size_t token_faults = static_cast<std::size_t>(TokenFault::wrong_player) + 1;

[[nodiscard]] std::string_view to_string(TokenFault fault);

struct TokenRefusal {
  TokenFault fault;
  std::string detail;  // actual and expected value: "its issuer (iss) is "a" and must be "b""
};

struct PlayerToken {
  PlayerId player;
  WallTime ends;  // end of validity: `exp` plus leeway
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
