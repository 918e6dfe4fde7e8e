// An API key proves to a master that a studio's back end may send requests for players.
//
// A key has 256 random bits and cannot be guessed. Therefore its hash needs no salt and no
// repetition. The configuration contains only hashes, so a person who reads the configuration
// learns no key. Thread rule: free functions. Errors: none.
#pragma once

#include <string>
#include <string_view>

namespace fixkeep::auth {

// Makes a key: "fixkeep_" and 43 digits of base64url. Unlike a token, a key has no dot.
[[nodiscard]] std::string make_api_key();

// Returns 64 hexadecimal digits: HMAC-SHA256("fixkeep api key 1", key).
[[nodiscard]] std::string hash_of_api_key(std::string_view key);

}  // namespace fixkeep::auth
