#include "common/auth/api_key.hpp"

#include "common/auth/hmac.hpp"
#include "common/auth/seat_token.hpp"
#include "common/base/base64.hpp"

namespace fixkeep::auth {

std::string make_api_key() {
  std::string key = "fixkeep_";
  append_base64url(view_of(random_bytes()), key);
  return key;
}

std::string hash_of_api_key(std::string_view key) {
  return to_text(hmac_sha256("fixkeep api key 1", key));
}

}  // namespace fixkeep::auth
