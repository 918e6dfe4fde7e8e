// What a master believes about workers and rooms.
//
// Built from what the workers say and nothing else: a restarted master has the same directory as
// soon as its workers have connected. It is a belief: only the worker decides about a seat.
//
// Thread rule: one owner. Bounds: wire::limits::rooms rooms a worker.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "common/base/ids.hpp"
#include "common/wire/messages.hpp"

namespace fixkeep::master {

struct Room {
  RoomId id;
  GroupKey group;
  ModeName mode;
  wire::RoomPhase phase = wire::RoomPhase::starting;
  std::uint16_t port = 0;
  std::uint32_t capacity = 0;
  CreationId creation;
  std::uint32_t occupied = 0;
  std::set<PlayerHash> players;

  [[nodiscard]] std::uint32_t free() const {
    const auto taken = static_cast<std::uint32_t>(players.size());
    return taken < capacity ? capacity - taken : 0;
  }
  [[nodiscard]] bool takes_players() const {
    return phase == wire::RoomPhase::starting || phase == wire::RoomPhase::open;
  }
};

struct Worker {
  WorkerId id;
  Incarnation incarnation;
  ZoneName zone;
  std::string address;
  std::uint32_t room_limit = 0;
  std::uint32_t headroom = 0;
  RoomNumber newest_room;
  std::set<ModeName> modes;
  std::map<RoomNumber, Room> rooms;
  bool known = false;  // its WorkerState has arrived
};

}  // namespace fixkeep::master
