// A master finds players by these hashes. A search also compares the whole id, so two players may
// share a hash.
//
// The key is random and belongs to one run of one master. A client thus cannot choose ids that
// share a hash. Thread rule: a value. Errors: none.
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
