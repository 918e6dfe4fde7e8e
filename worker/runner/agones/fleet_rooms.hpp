// Decides for all rooms of a worker which server is asked of a fleet when, which one a room has,
// and which ones are given up again.
//
// A request for a server has no name and cannot be repeated, its answer may be lost, and one that
// was lost may still be carried out a minute later. So no answer is needed: the request writes the
// room's name on the server in the moment in which it takes it, and a lasting watch of all servers
// with a name of this worker says what has become of it. A room has the first server that the watch
// shows under its name. Whatever else has a name of ours is released whenever it turns up: a second
// one of a room, one of a room that has ended, one of an earlier run. Such a release names the
// version of the object that it means, and does nothing to any later one.
//
// Invariants: 1. a room has one server from the moment it is shown until the room has ended.
//             2. a server under the name of a room that has ended, or that has another one, is
//                released until the watch shows it no more.
//             3. a server that was free after it was ours is never released: it may be somebody
//                else's. Our name is taken off it.
//             4. a room has ended when the watch shows its server no more, or shows it free, or
//                shows that it is being deleted after nobody wanted it any more: the cluster
//                finishes that alone.
// Fault model: an answer is lost, comes late or is wrong; a request is carried out after it was
// lost; the watch is cut off and misses what happens meanwhile; somebody deletes a server or its
// game makes it free. One that was made free and given away while the watch was cut off still looks
// like ours. Thread rule: one owner; sans-IO. Bounds: the rooms of the worker; `at_once` requests
// and as many releases under way; `most_lost` requests of a room whose answer was lost, `patience`
// for all of them. Errors: in the words of GameEnd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "worker/runner/agones/fleet_actions.hpp"

namespace fixkeep::worker::agones {

struct FleetOptions {
  std::size_t at_once = 16;
  int most_lost = 4;
  Duration patience = std::chrono::seconds{60};
  Duration first_pause = std::chrono::milliseconds{500};  // between two requests or releases
  Duration longest_pause = std::chrono::seconds{15};
  Duration shown_within = std::chrono::seconds{5};  // else it is looked for, or is none
};

class FleetRooms {
 public:
  explicit FleetRooms(FleetOptions options) : options_(options) {}

  void start(RoomNumber room, const std::string& object, TimePoint now, FleetActions& out);
  // It is of an earlier run, which had told this place of it, or none.
  void adopt(RoomNumber room, const std::string& object, std::optional<wire::RoomPlace> place,
             TimePoint now, FleetActions& out);
  // From now on a server of no room is released.
  void end_others(TimePoint now, FleetActions& out);
  void end(const std::string& object, TimePoint now, FleetActions& out);

  void answered(const std::string& object, const AskAnswer& answer, TimePoint now,
                FleetActions& out);
  void freed(const std::string& uid, FreeAnswer answer, TimePoint now, FleetActions& out);

  // Nothing: it could not be learnt.
  void looked(const std::string& object, std::optional<bool> found, TimePoint now,
              FleetActions& out);

  // The watch: all servers that have a name of ours, and after that every change of them, in its
  // order, until the watch is cut off.
  void listed(const std::vector<FleetServer>& servers, TimePoint now, FleetActions& out);
  void changed(const FleetServer& server, TimePoint now, FleetActions& out);
  void gone(const std::string& uid, TimePoint now, FleetActions& out);
  void cut_off() { watched_ = false; }
  // It goes on behind what it has told last, so it missed nothing. REQUIRES: it has listed.
  void goes_on(TimePoint now, FleetActions& out);

  void pass_time(TimePoint now, FleetActions& out) { go_on(now, out); }
  [[nodiscard]] TimePoint next_tick() const;  // max(): nothing is due
  [[nodiscard]] std::size_t waiting() const { return queue_.size(); }
  // Servers have our name, or may be given it by what is under way.
  [[nodiscard]] bool any() const { return !servers_.empty() || asking_ > 0; }
  // It has our name, and was free since we took it.
  [[nodiscard]] bool is_lost(const FleetServer& server) const;

 private:
  enum class Phase : std::uint8_t {
    queued,   // for a place among the requests
    asking,   // its request is under way
    pausing,  // before the next one
    given,    // the watch has to show it
    adopted,  // a list has to show it
    placed,   // it has a server
  };
  struct Room {
    RoomNumber number;
    Phase phase = Phase::queued;
    std::string uid;                       // of its server
    std::optional<wire::RoomPlace> place;  // that an earlier run has told
    bool is_adopted = false;
    bool begun = false;
    bool unwanted = false;
    bool closing = false;  // its server is on its way out
    std::optional<std::uint32_t> players;
    int asks = 0;
    int lost = 0;
    TimePoint due{};  // of what the phase waits for
    Duration pause{};
    TimePoint give_up_at{};
    std::string why;
  };
  struct Server {
    FleetServer shown;
    std::optional<std::string> left;  // the attempt of ours after which it was free
    bool busy = false;                // its release is under way
    TimePoint due{};                  // of the next one
    Duration pause{};
  };

  void show(const FleetServer& server);
  void look_at(const std::string& object, FleetActions& out);
  void choose(const std::string& object, Room& room);
  void take(Room& room, const std::string& uid);
  void look_after_list(const std::string& object, Room& room, TimePoint now, FleetActions& out);
  void tell(Room& room, const FleetServer& server, FleetActions& out) const;
  void end_room(const std::string& object, GameEnd::Kind kind, const std::string& how,
                bool blameless, FleetActions& out);
  void end_unplaced(const std::string& object, const std::string& how, FleetActions& out);
  void try_later(const std::string& object, Room& room, TimePoint now, FleetActions& out);
  void go_on(TimePoint now, FleetActions& out);
  void go_on_with(const std::string& object, Room& room, TimePoint now, FleetActions& out);
  void ask(FleetActions& out);
  void free_servers(TimePoint now, FleetActions& out);
  [[nodiscard]] static bool is_lost_to_us(const Server& server);
  [[nodiscard]] bool is_unwanted(const Server& server) const;
  [[nodiscard]] Duration longer(Duration pause) const;

  FleetOptions options_;
  std::map<std::string, Room> rooms_;      // by the names of their objects
  std::map<std::string, Server> servers_;  // by uid
  std::deque<std::string> queue_;
  std::size_t asking_ = 0;
  std::size_t freeing_ = 0;
  bool listed_ = false;
  bool watched_ = false;
  bool ended_others_ = false;
};

}  // namespace fixkeep::worker::agones
