// TokenCache stores the player of each verified token. A player sends the same token with every
// request, and a signature check takes longer than the matching of a player itself.
//
// The cache accepts only verified tokens, so strangers cannot fill it. A full cache drops the least
// recently used token.
// Thread rule: one owner; reads no clock. Bounds: the struct Bounds limits the entries and the
// bytes of their tokens. Errors: none.
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "common/auth/jwt/token_verifier.hpp"

namespace fixkeep::master {

class TokenCache {
 public:
  struct Bounds {
    std::size_t entries = 50'000;
    std::size_t bytes = std::size_t{32} << 20U;
  };

  TokenCache() : TokenCache(Bounds{}) {}
  explicit TokenCache(Bounds bounds) : bounds_(bounds) {}

  // Returns the player of the token; null if the token is unknown or expired. A found token counts
  // as used.
  [[nodiscard]] const PlayerId* find(std::string_view token, auth::WallTime now);
  void add(std::string_view token, const auth::PlayerToken& verified);
  void clear();

  [[nodiscard]] std::size_t size() const { return places_.size(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    std::string token;
    auth::PlayerToken verified;
  };
  using Entries = std::list<Entry>;
  void erase(Entries::iterator entry);

  Bounds bounds_;
  Entries entries_;                                                 // most recently used first
  std::unordered_map<std::string_view, Entries::iterator> places_;  // key: view of the entry's text
  std::size_t bytes_ = 0;
};

}  // namespace fixkeep::master
