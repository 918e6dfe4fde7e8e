// An API key proves to a master that a studio's back end may send requests for players.
//
// A key has 256 random bits. Such a key cannot be guessed: its hash needs neither salt nor many
// rounds. The configuration contains only hashes: readers of the configuration get no key. Thread
// rule: free functions. Errors: none.
#pragma once

#include <string>
#include <string_view>

namespace fixkeep::auth {

// "fixkeep_" and 43 digits of base64url. Unlike a token it has no dot.
[[nodiscard]] std::string make_api_key();

// 64 hexadecimal digits: HMAC-SHA256("fixkeep api key 1", key).
[[nodiscard]] std::string hash_of_api_key(std::string_view key);

}  // namespace fixkeep::auth
