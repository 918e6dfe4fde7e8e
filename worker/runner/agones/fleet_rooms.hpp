// Decides for all rooms of a worker when to request a server from a fleet, which server a room has,
// and which servers to release.
//
// A request for a server has no id and cannot be repeated. Its answer may be lost, and Agones may
// carry out a lost request a minute later. Therefore FleetRooms does not rely on the answer. When a
// request takes a server, it also writes the room's name on the server. A permanent watch of all
// servers with this worker's name shows the result. A room has the first server that the watch
// shows with the room's name. Every other server with our name is released when it appears: for
// example a room's second server, or a server of an ended room or an earlier run. A release
// contains the version of the server's object, and does nothing to a later version.
//
// Invariants: 1. A room has one server, from the moment the watch shows it until the room has
//                ended.
//             2. The release of an ended room's server, and of a room's second server, is repeated
//                until the watch no longer shows this server.
//             3. If a server was ours and then became free, it is never released, because another
//                client may have it. FleetRooms only removes our name from it.
//             4. A room has ended when the watch no longer shows its server, or shows the server as
//                free. An unwanted room has also ended when its server is being deleted: the
//                cluster finishes this deletion alone.
// Fault model: an answer is lost, late or wrong. A lost request is carried out later. The watch is
// interrupted and misses events. Another client deletes a server, or a game makes its server free.
// If a server was made free and given away while the watch was interrupted, this is not detected:
// it still has our name. Thread rule: one owner; sans-IO. Bounds: the rooms of the worker; at most
// `at_once` requests and `at_once` releases are under way. A room has at most `most_lost` requests
// without an answer; all its requests begin within the time `patience`. Errors: described in
// GameEnd::how.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/time.hpp"
#include "worker/runner/agones/fleet_actions.hpp"

namespace fixkeep::worker::agones {

struct FleetOptions {
  std::size_t at_once = 16;
  int most_lost = 4;
  Duration patience = std::chrono::seconds{60};
  Duration first_pause = std::chrono::milliseconds{500};  // between two requests or releases
  Duration longest_pause = std::chrono::seconds{15};
  Duration shown_within = std::chrono::seconds{5};  // after this, a missing server is looked up
};

class FleetRooms {
 public:
  explicit FleetRooms(FleetOptions options) : options_(options) {}

  void start(const std::string& object, TimePoint now, FleetActions& out);
  // Adds a room of an earlier run. `place`: as the earlier run reported it; nullopt: the earlier
  // run reported none.
  void adopt(const std::string& object, std::optional<wire::RoomPlace> place, TimePoint now,
             FleetActions& out);
  // From now on, servers without a room are released.
  void end_others(TimePoint now, FleetActions& out);
  void end(const std::string& object, TimePoint now, FleetActions& out);

  void answered(const std::string& object, const AskAnswer& answer, TimePoint now,
                FleetActions& out);
  void freed(const std::string& uid, FreeAnswer answer, TimePoint now, FleetActions& out);

  // Takes the answer to LookForServer. `found` nullopt: not known.
  void looked(const std::string& object, std::optional<bool> found, TimePoint now,
              FleetActions& out);

  // The watch lists all servers with our name. It then reports every change in order until it is
  // interrupted.
  void listed(const std::vector<FleetServer>& servers, TimePoint now, FleetActions& out);
  void changed(const FleetServer& server, TimePoint now, FleetActions& out);
  void gone(const std::string& uid, TimePoint now, FleetActions& out);
  void cut_off() { watched_ = false; }
  // The watch continues at its last event: it has missed nothing. REQUIRES: listed() was called
  // before.
  void goes_on(TimePoint now, FleetActions& out);

  void pass_time(TimePoint now, FleetActions& out) { go_on(now, out); }
  [[nodiscard]] TimePoint next_tick() const;  // max(): nothing is due
  [[nodiscard]] bool is_watched() const { return watched_; }
  [[nodiscard]] bool is_asking() const { return asking_ > 0; }
  // Counts the servers to release. If `deleted` is true, includes the servers that are being
  // removed.
  [[nodiscard]] std::size_t unwanted(bool deleted) const;
  // Requests no servers from now on, and forgets the calls under way.
  void ask_no_more();

 private:
  enum class Phase : std::uint8_t {
    waiting,  // waits for its turn or pauses before the next request
    asking,   // the request is under way
    given,    // the watch does not show the server yet
    adopted,  // no list has shown the server yet
    placed,   // the room has a server
  };
  struct Room {
    Phase phase = Phase::waiting;
    std::string uid;                       // its server's uid
    std::optional<wire::RoomPlace> place;  // the place that an earlier run reported
    bool is_adopted = false;
    bool begun = false;
    bool unwanted = false;
    bool closing = false;  // the server is being removed
    std::optional<std::uint32_t> players;
    int asks = 0;
    int lost = 0;
    TimePoint due{};  // deadline of the present phase
    Duration pause{};
    TimePoint give_up_at{};
    std::string why;
  };
  struct Server {
    FleetServer shown;
    // If the server became free after we had taken it: the number of the attempt that took the
    // server.
    std::optional<std::string> left;
    bool busy = false;  // a release is under way
    TimePoint due{};    // earliest time of the next release
    Duration pause{};
  };

  void show(const FleetServer& server);
  void look_at(const std::string& object, FleetActions& out);
  void choose(const std::string& object, Room& room);
  void take(Room& room, const std::string& uid);
  void look_after_list(const std::string& object, Room& room, TimePoint now, FleetActions& out);
  static void tell(Room& room, const FleetServer& server, FleetActions& out);
  void end_room(const std::string& object, const GameEnd& end, FleetActions& out);
  void try_later(const std::string& object, Room& room, TimePoint now, FleetActions& out);
  void go_on(TimePoint now, FleetActions& out);
  void go_on_with(const std::string& object, Room& room, TimePoint now, FleetActions& out);
  void ask(TimePoint now, FleetActions& out);
  void free_servers(TimePoint now, FleetActions& out);
  [[nodiscard]] bool may_ask() const {
    return watched_ && !asks_no_more_ && asking_ < options_.at_once;
  }
  [[nodiscard]] static bool is_lost_to_us(const Server& server);
  [[nodiscard]] bool is_unwanted(const Server& server) const;
  [[nodiscard]] Duration longer(Duration pause) const;

  FleetOptions options_;
  std::map<std::string, Room> rooms_;      // key: the room's Launch::object
  std::map<std::string, Server> servers_;  // key: uid
  std::size_t asking_ = 0;
  std::size_t freeing_ = 0;
  bool listed_ = false;
  bool watched_ = false;
  bool ended_others_ = false;
  bool asks_no_more_ = false;
};

}  // namespace fixkeep::worker::agones
