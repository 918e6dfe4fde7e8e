#include "master/http/identity/token_cache.hpp"

#include <iterator>

namespace fixkeep::master {

const PlayerId* TokenCache::find(std::string_view token, auth::WallTime now) {
  const auto place = places_.find(token);
  if (place == places_.end()) return nullptr;
  const auto entry = place->second;
  if (now >= entry->verified.ends) {
    erase(entry);
    return nullptr;
  }
  entries_.splice(entries_.begin(), entries_, entry);
  return &entry->verified.player;
}

void TokenCache::add(std::string_view token, const auth::PlayerToken& verified) {
  if (const auto known = places_.find(token); known != places_.end()) erase(known->second);
  entries_.push_front({std::string{token}, verified});
  places_.emplace(entries_.front().token, entries_.begin());
  bytes_ += token.size();
  while (entries_.size() > bounds_.entries || bytes_ > bounds_.bytes) {
    erase(std::prev(entries_.end()));
  }
}

void TokenCache::clear() {
  places_.clear();
  entries_.clear();
  bytes_ = 0;
}

void TokenCache::erase(Entries::iterator entry) {
  places_.erase(entry->token);
  bytes_ -= entry->token.size();
  entries_.erase(entry);
}

}  // namespace fixkeep::master
