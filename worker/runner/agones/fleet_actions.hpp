// The requests that FleetRooms makes and the answers that it gets (fleet_rooms.hpp).
// Thread rule: values. Bounds: none. Errors: described in words.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "worker/runner/engine/sight.hpp"

namespace fixkeep::worker::agones {

// The state of a fleet's game server, from its object in the API of Kubernetes.
enum class ServerState : std::uint8_t {
  held,    // allocated, reserved or unknown: Agones does not give the server to another client
  ending,  // the server is ending or has failed
  free,    // Agones may give it away
};

struct FleetServer {
  std::string name;
  std::string uid;
  std::string version;  // the object's version: every change replaces it
  std::string room;     // label that our allocation wrote, from Launch::object
  std::string attempt;  // annotation that our allocation wrote: the number of the room's request
  ServerState state = ServerState::free;
  std::string state_name;                // state in Agones' words, such as "Allocated"
  bool deleted = false;                  // the cluster is removing it
  wire::RoomPlace place;                 // without host or ports: not known yet
  std::optional<std::uint32_t> players;  // nullopt: the game does not count players

  friend bool operator==(const FleetServer&, const FleetServer&) = default;
};

// --- answers of the API --------------------------------------------------------------------------

struct AskAnswer {
  enum class Kind : std::uint8_t {
    given,    // a server is taken, and has the room's name
    none,     // no server is free
    refused,  // refused, and every repetition will be refused: nothing was done
    not_now,  // a later try may succeed
    lost,     // the result is unknown
  };
  Kind kind = Kind::lost;
  std::string why;
};

enum class FreeAnswer : std::uint8_t {
  done,     // the server is being deleted or our name is removed
  changed,  // the object has a newer version
  failed,   // failed, or the result is unknown
};

// --- actions -------------------------------------------------------------------------------------

struct AskForServer {
  std::string object;
  std::string attempt;  // written on the server, beside the name
};
struct FreeServer {
  FleetServer server;
  bool only_name = false;  // true: removes our name; false: deletes the server
};
struct LookForServer {  // asks whether some server has the room's name now
  std::string object;
};
struct FleetShown {  // the room's game runs, at its place, or has ended
  std::string object;
  engine::Sight sight;
};
struct FleetClosing {
  std::string object;
  std::string why;  // empty: the game has requested to close
};
struct FleetCounted {
  std::string object;
  std::uint32_t players = 0;
};
using FleetAction =
    std::variant<AskForServer, FreeServer, LookForServer, FleetShown, FleetClosing, FleetCounted>;
using FleetActions = std::vector<FleetAction>;

}  // namespace fixkeep::worker::agones
