// Says when the modes of a configuration that was read again take effect.
//
// A group's key, its rules and the capacity of its rooms follow from the modes, so masters change
// them together. A master that has read others tells its peers their hash, and each peer answers
// with its own. The modes take effect at a master when every connected peer has told the same hash.
// Peers without a link do not count: a dead master reads the file at its next start. Masters that
// have read nothing say nothing.
//
// Masters do not change at one instant: the last message is on its way to some of them. Until it
// arrives they act like masters in a rolling restart.
// Fault model: links break at any moment; what a peer told counts for its link alone. A peer that
// never answers keeps the modes as they are. Thread rule: a value, one owner. Bounds: the
// masters. Errors: none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"

namespace fixkeep::master {

class ModesAgreement {
 public:
  explicit ModesAgreement(std::uint64_t hash) : in_effect_(hash), read_(hash) {}

  // True: the peer is to be told last_read().
  [[nodiscard]] bool connected(MasterId peer) { return (peers_[peer] = {}).knows_ours = waits(); }
  [[nodiscard]] bool said(MasterId peer, std::uint64_t hash) {
    const auto known = peers_.find(peer);
    if (known == peers_.end()) return false;
    known->second.hash = hash;
    return !std::exchange(known->second.knows_ours, true);
  }
  // True: all peers are to be told. False: these modes were the last ones already.
  [[nodiscard]] bool read(std::uint64_t hash) {
    if (std::exchange(read_, hash) == hash) return false;
    for (auto& [peer, known] : peers_) known.knows_ours = true;
    return true;
  }
  void disconnected(MasterId peer) { peers_.erase(peer); }

  [[nodiscard]] std::uint64_t last_read() const { return read_; }
  // True once for the modes that were read: they are in effect from now on.
  [[nodiscard]] bool take_effect() {
    return read_ != in_effect_ && missing().empty() && (in_effect_ = read_, true);
  }
  // The connected masters that have not read the modes which this master has read last.
  [[nodiscard]] std::vector<MasterId> missing() const {
    std::vector<MasterId> found;
    for (const auto& [peer, known] : peers_) {
      if (known.hash != read_) found.push_back(peer);
    }
    return found;
  }
  [[nodiscard]] bool waits() const { return read_ != in_effect_; }

 private:
  struct Peer {
    std::optional<std::uint64_t> hash;  // nullopt: not told by this link
    bool knows_ours = false;
  };

  std::uint64_t in_effect_;
  std::uint64_t read_;
  std::map<MasterId, Peer> peers_;
};

}  // namespace fixkeep::master
