// The requests of FleetRooms and the answers to it (fleet_rooms.hpp).
// Thread rule: values. Bounds: none. Errors: in words.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/base/ids.hpp"
#include "worker/runner/game_runner.hpp"

namespace fixkeep::worker::agones {

// A game server of a fleet as its object in the API of Kubernetes shows it.
enum class ServerState : std::uint8_t {
  held,    // allocated, or reserved by its game: Agones gives it to no other
  ending,  // it ends, or has failed
  free,    // everything else: Agones may give it away
};

struct FleetServer {
  std::string name;
  std::string uid;
  std::string version;  // the object's version, which every change changes
  std::string room;     // Launch::object, as our allocation wrote it
  std::string attempt;  // the request of the room that took it, written likewise
  ServerState state = ServerState::free;
  std::string state_name;                // "Allocated", for people
  bool deleted = false;                  // it is on its way out
  wire::RoomPlace place;                 // without host or ports: not known yet
  std::optional<std::uint32_t> players;  // nullopt: its game does not count players

  friend bool operator==(const FleetServer&, const FleetServer&) = default;
};

// --- what the API answers ------------------------------------------------------------------------

struct AskAnswer {
  enum class Kind : std::uint8_t {
    given,    // a server is taken, and has the room's name
    none,     // no server is free
    refused,  // refused for good: nothing was done
    not_now,  // a later try may succeed
    lost,     // the result is unknown
  };
  Kind kind = Kind::lost;
  std::string why;
};

enum class FreeAnswer : std::uint8_t {
  done,     // it is being deleted, or no longer has our name
  changed,  // there is a newer version
  failed,   // failed, or the result is unknown
};

// --- actions -------------------------------------------------------------------------------------

struct AskForServer {
  std::string object;
  std::string attempt;  // written on the server, like the name
};
struct FreeServer {
  FleetServer server;
  bool only_name = false;  // takes our name off it; otherwise deletes it
};
struct LookForServer {  // asks whether a server has the room's name now
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
