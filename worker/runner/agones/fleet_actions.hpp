// FleetRooms asks for these, and hears these answers (fleet_rooms.hpp).
// Thread rule: values. Bounds: none. Errors: in words.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/base/ids.hpp"
#include "worker/runner/game_runner.hpp"

namespace fixkeep::worker::agones {

// A game server of a fleet, as its object in the API of Kubernetes shows it.
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

// --- what the API answers ------------------------------------------------------------------------

struct AskAnswer {
  enum class Kind : std::uint8_t {
    given,    // a server is taken, and has the room's name
    none,     // no server is free
    refused,  // nothing was done, and will not be another time
    not_now,  // nothing was done
    lost,     // nobody knows
  };
  Kind kind = Kind::lost;
  std::string why;
};

enum class FreeAnswer : std::uint8_t {
  done,     // it is on its way out, or has our name no more
  changed,  // there is a newer version
  failed,   // or nobody knows
};

// --- actions -------------------------------------------------------------------------------------

struct AskForServer {
  std::string object;
  std::string attempt;  // to be written on the server, as the name is
};
struct FreeServer {
  FleetServer server;
  bool only_name = false;  // our name is taken off it; else it is deleted
};
struct LookForServer {  // whether any has the room's name now
  std::string object;
};
struct FleetPlaced {
  RoomNumber room;
  wire::RoomPlace place;
};
struct FleetBegun {
  RoomNumber room;
};
struct FleetClosing {
  RoomNumber room;
  std::string why;  // empty: its game has asked for it
};
struct FleetCounted {
  RoomNumber room;
  std::uint32_t players = 0;
};
struct FleetEnded {
  RoomNumber room;
  GameEnd end;
};
using FleetAction = std::variant<AskForServer, FreeServer, LookForServer, FleetPlaced, FleetBegun,
                                 FleetClosing, FleetCounted, FleetEnded>;
using FleetActions = std::vector<FleetAction>;

}  // namespace fixkeep::worker::agones
