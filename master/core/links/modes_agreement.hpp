// Decides when new modes take effect after masters have read their configuration again.
//
// A group's key, its rules and the capacity of its rooms follow from the modes, so masters change
// them together. A master that has read new modes sends their hash to its peers. Each peer answers
// with the hash of the modes that it has read last. The modes take effect at a master when every
// peer has sent the same hash. A master does not wait for a peer whose link has been broken for
// `patience`: a dead master reads the file at its next start. A master that has read no new modes
// only answers.
//
// Not all masters change at one instant: the last hash may still be on its way to some masters.
// Until the hash arrives, those masters act as in a rolling restart. Fault model: links break at
// any moment. Modes never take effect because of a short break of a link. If a connected peer never
// answers, the new modes never take effect. Thread rule: a value, one owner. Bounds: the masters.
// Errors: none.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace fixkeep::master {

class ModesAgreement {
 public:
  // Longer than a master needs for a restart, or for a new link after a fault.
  static constexpr Duration patience = std::chrono::seconds{10};

  explicit ModesAgreement(std::uint64_t hash) : in_effect_(hash), read_(hash) {}

  // Adds a peer. Returns whether to send last_read() to this peer.
  [[nodiscard]] bool connected(MasterId peer) { return (peers_[peer] = {}).knows_ours = waits(); }
  [[nodiscard]] bool said(MasterId peer, std::uint64_t hash) {
    const auto known = peers_.find(peer);
    if (known == peers_.end()) return false;
    known->second.hash = hash;
    return !std::exchange(known->second.knows_ours, true);
  }
  // Notes the modes that this master has read. Returns whether to send their hash to all peers:
  // false if the modes are the same as at the last reading.
  [[nodiscard]] bool read(std::uint64_t hash) {
    if (std::exchange(read_, hash) == hash) return false;
    for (auto& [peer, known] : peers_) known.knows_ours = true;
    return true;
  }
  void disconnected(MasterId peer, TimePoint now) {
    if (const auto known = peers_.find(peer); known != peers_.end()) {
      known->second.counts_until = now + patience;
    }
  }
  // From now on, these are the configured masters.
  void list(const std::vector<MasterId>& others) {
    std::erase_if(peers_, [&](const auto& known) {
      return std::ranges::find(others, known.first) == others.end();
    });
  }

  [[nodiscard]] std::uint64_t last_read() const { return read_; }
  // Returns true once, when the modes that were read take effect.
  [[nodiscard]] bool take_effect(TimePoint now) {
    if (!waits() || !missing(now).empty()) return false;
    in_effect_ = read_;
    return true;
  }
  // Returns the peers that have not sent the hash of the modes that this master has read. Leaves
  // out peers whose links have been broken for `patience`.
  [[nodiscard]] std::vector<MasterId> missing(TimePoint now) const {
    std::vector<MasterId> found;
    for (const auto& [peer, known] : peers_) {
      if (known.hash != read_ && known.counts_until > now) found.push_back(peer);
    }
    return found;
  }
  [[nodiscard]] bool waits() const { return read_ != in_effect_; }
  // The time at which take_effect() may return true without another event. max(): never.
  [[nodiscard]] TimePoint next_tick() const {
    TimePoint last = TimePoint::min();
    for (const auto& [peer, known] : peers_) {
      if (known.hash != read_) last = std::max(last, known.counts_until);
    }
    return waits() && last != TimePoint::min() ? last : TimePoint::max();
  }

 private:
  struct Peer {
    std::optional<std::uint64_t> hash;  // nullopt: not received over this link
    bool knows_ours = false;
    TimePoint counts_until = TimePoint::max();  // max(): its link is up
  };

  std::uint64_t in_effect_;
  std::uint64_t read_;
  std::map<MasterId, Peer> peers_;
};

}  // namespace fixkeep::master
