// The caller of a request: the players that it may ask for and the names of its counts.
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

// A key of a studio's back end. It may speak for all players.
struct ApiKeyOptions {
  std::string name;
  std::string hash;                // result of auth::hash_of_api_key()
  std::vector<std::string> modes;  // modes that it may ask for; empty: all
  ClientLimitOptions limits;

  friend bool operator==(const ApiKeyOptions&, const ApiKeyOptions&) = default;
};

struct Caller {
  enum class Kind : std::uint8_t {
    anybody,  // unidentified: it may name any player
    player,   // has shown a token, and speaks for itself
    service,  // has shown a key, and speaks for any player
  };

  Kind kind = Kind::anybody;
  PlayerId player;                           // a token's player
  std::shared_ptr<const ApiKeyOptions> key;  // a service's key

  [[nodiscard]] bool may_name_others() const { return kind != Kind::player; }
  // Whether the seats of the mode are its business.
  [[nodiscard]] bool is_for(const ModeName& mode) const {
    if (key == nullptr || key->modes.empty()) return true;
    return std::find(key->modes.begin(), key->modes.end(), mode.text()) != key->modes.end();
  }
};

}  // namespace fixkeep::master
