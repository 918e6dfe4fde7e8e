// The caller of a request, and the players for which the caller may request seats.
//
// Thread rule: a value. Errors: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "master/http/identity/client_limits.hpp"

namespace fixkeep::master {

// A key of a studio's back end, which may act for all players.
struct ApiKeyOptions {
  std::string name;
  std::string hash;                // result of auth::hash_of_api_key()
  std::vector<std::string> modes;  // modes for which the key is valid; empty: all
  ClientLimitOptions limits;

  friend bool operator==(const ApiKeyOptions&, const ApiKeyOptions&) = default;
};

struct Caller {
  enum class Kind : std::uint8_t {
    anybody,  // unidentified: may name any player
    player,   // identified by a token: acts for itself
    service,  // identified by a key: acts for any player
  };

  Kind kind = Kind::anybody;
  PlayerId player;                           // the token's player
  std::shared_ptr<const ApiKeyOptions> key;  // the service's key

  [[nodiscard]] bool may_name_others() const { return kind != Kind::player; }
  // Returns whether the caller may request and release seats of the mode.
  [[nodiscard]] bool is_for(const ModeName& mode) const {
    if (key == nullptr || key->modes.empty()) return true;
    return std::find(key->modes.begin(), key->modes.end(), mode.text()) != key->modes.end();
  }
};

}  // namespace fixkeep::master
