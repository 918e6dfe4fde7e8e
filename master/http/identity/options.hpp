// The options of Identity: the accepted tokens and keys.
// Thread rule: a value. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "common/auth/jwt/token_verifier.hpp"
#include "master/http/identity/caller.hpp"

namespace fixkeep::master {

struct IdentityOptions {
  bool open = true;              // a request without token or key may name any player
  bool open_everywhere = false;  // identity.open is "everywhere"
  std::vector<std::string> key_files;
  auth::TokenRules rules;
  auth::TokenKeys token_keys;  // keys in files, and the secret; empty: no token is accepted
  std::vector<ApiKeyOptions> keys;
};

}  // namespace fixkeep::master
