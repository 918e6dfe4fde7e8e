// Keys by which a studio's back end shows a master that it may speak for players.
//
// A key has 256 random bits, so its hash needs neither salt nor many rounds: nobody finds a key by
// its hash. The configuration holds hashes alone, and a reader of it can ask for nobody.
// Thread rule: free functions. Errors: none.
#pragma once

#include <string>
#include <string_view>

namespace fixkeep::auth {

// "fixkeep_" and 43 digits of base64url. It has no dot, unlike a token.
[[nodiscard]] std::string make_api_key();

// 64 hexadecimal digits: HMAC-SHA256("fixkeep api key 1", key).
[[nodiscard]] std::string hash_of_api_key(std::string_view key);

}  // namespace fixkeep::auth
