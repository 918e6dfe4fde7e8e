// Hashes by which a master finds players. They are only a shortcut. A search by hash compares the
// whole id: two players of one hash are two.
//
// The key is random and of one run of one master: a client cannot choose ids that share a hash.
// Thread rule: a value. Errors: none.
#pragma once

#include "common/base/ids.hpp"
#include "common/base/sip_hash.hpp"

namespace fixkeep::master {

class PlayerHasher {
 public:
  PlayerHasher() = default;
  explicit PlayerHasher(const SipKey& key) : key_(key) {}

  [[nodiscard]] PlayerHash operator()(const PlayerId& player) const {
    return PlayerHash{sip_hash(key_, player.text())};
  }

 private:
  SipKey key_;
};

}  // namespace fixkeep::master
