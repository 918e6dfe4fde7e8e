// TokenCache keeps the player of each verified token. A player shows the same token with every
// request. A signature costs more than a match.
//
// Only verified tokens come in: strangers cannot fill it. When it is full the least recently used
// one goes.
// Thread rule: one owner; reads no clock. Bounds: entries, and bytes of tokens. Errors: none.
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

  // Null: it is unknown or has ended. It counts as used.
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
  Entries entries_;  // the one that was used last is the first
  std::unordered_map<std::string_view, Entries::iterator> places_;  // key: view of the entry's text
  std::size_t bytes_ = 0;
};

}  // namespace fixkeep::master
