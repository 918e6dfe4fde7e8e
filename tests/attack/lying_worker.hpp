// A worker without games: it tells of rooms as they would be, and lies in one thing.
//
// Thread rule: as Liar.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/attack/liar.hpp"

namespace fixkeep::attack {

enum class Lie : std::uint8_t {
  none,
  highest_of_all,    // it has seen token 2^62, of every group, and its promises are refused for it
  never_promises,    // says so, without a reason
  no_answer,         // to anything but its state
  never_opens,       // what it has started
  never_starts,      // although it has room, as it says
  always_fails,      // each room, at once
  endless_room,      // 2^32-1 rooms of headroom, none of which it starts
  too_many_rooms,    // more of them than a worker may have
  speaks_as_master,  // sends what only masters send
};

class LyingWorker {
 public:
  // It has the configuration of some worker of the cluster, but another name.
  LyingWorker(const support::LocalCluster& cluster, std::size_t masters, const std::string& name,
              Lie lie);

  [[nodiscard]] const Liar& liar() const { return *liar_; }

 private:
  [[nodiscard]] wire::WorkerState state() const;
  void met(Liar& liar, const net::Peer& master) const;
  void heard(Liar& liar, const net::Peer& master, wire::ToWorker&& message);
  void answer(Liar& liar, const net::Peer& master, const wire::PrepareSpawn& asked) const;
  void answer(Liar& liar, const net::Peer& master, const wire::SpawnRoom& order);

  Lie lie_;
  std::uint32_t newest_ = 0;
  std::unique_ptr<Liar> liar_;
};

}  // namespace fixkeep::attack
