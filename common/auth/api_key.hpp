// API keys prove to a master that a studio's back end may speak for players.
//
// A key has 256 random bits. Its hash needs neither salt nor many rounds: a key cannot be found by
// its hash. The configuration holds hashes only. Its reader cannot speak for players. Thread rule:
// free functions. Errors: none.
#pragma once

#include <string>
#include <string_view>

namespace fixkeep::auth {

// "fixkeep_" and 43 digits of base64url. Unlike a token it has no dot.
[[nodiscard]] std::string make_api_key();

// 64 hexadecimal digits: HMAC-SHA256("fixkeep api key 1", key).
[[nodiscard]] std::string hash_of_api_key(std::string_view key);

}  // namespace fixkeep::auth
