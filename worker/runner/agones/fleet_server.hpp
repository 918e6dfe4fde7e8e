// A game server of a fleet, as its object in the API of Kubernetes shows it.
// Thread rule: values. Bounds: those of fleet_texts.hpp. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/wire/room_place.hpp"

namespace fixkeep::worker::agones {

enum class ServerState : std::uint8_t {
  held,    // allocated, or reserved by its game: nobody else is given it
  ending,  // it ends, or has failed
  free,    // everything else: Agones may give it to anybody
};

struct FleetServer {
  std::string name;
  std::string uid;
  std::string version;  // of the object: it changes with every change
  std::string room;     // what our allocation wrote on it: Launch::object
  std::string attempt;  // likewise: which request of the room took it
  ServerState state = ServerState::free;
  std::string state_name;                // "Allocated", for people
  bool deleted = false;                  // it is on its way out
  wire::RoomPlace place;                 // without host or ports: it is not known yet
  std::optional<std::uint32_t> players;  // nothing: its game does not count them

  friend bool operator==(const FleetServer&, const FleetServer&) = default;
};

}  // namespace fixkeep::worker::agones
