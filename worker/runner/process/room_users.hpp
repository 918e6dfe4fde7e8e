// Gives each room a user of its own out of a reserved range of numbers.
//
// A number is given to one room at a time. It comes back when the room has ended and is then the
// last to be given again. The room's remains on disk belong to the worker from then on: the next
// room with that number cannot read them. Rooms of an earlier run are known by the owner of their
// own folder: no game can change that.
// Invariants: 1. No two rooms have one number in all runs of the worker.
//             2. A number that may still have processes is not given before they are gone.
// Fault model: another worker of this machine may have numbers of the range: open() says so.
// Thread rule: one owner. Bounds: the rooms; a look at all processes of the machine at the start
// and for each doubtful number when it is the next to be given. Errors: returned as a sentence.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "common/process/descriptor.hpp"
#include "worker/keeper/plan.hpp"
#include "worker/runner/launch.hpp"
#include "worker/runner/process/room_files.hpp"
#include "worker/runner/user_range.hpp"

namespace fixkeep::worker {

class RoomUsers {
 public:
  explicit RoomUsers(UserRange range) : range_(range), next_(range.first) {}

  // The text says why it cannot. Empty: it can. REQUIRES: once before the rest. Waits up to a
  // second for a worker that has just left.
  [[nodiscard]] std::string open();

  // Returns the user of the room's game: its own or the launch's. The text says why it cannot.
  // REQUIRES: the room has no user yet.
  [[nodiscard]] std::variant<std::optional<keeper::Plan::User>, std::string> user_for(
      const Launch& launch);
  // The room of an earlier run keeps its user. Nothing happens if it has none of the range.
  void hold(const std::string& room, const RoomFiles& files);
  // For all rooms that are not held: their remains are the worker's and users that still have
  // processes are not given. `rooms`: the folder of all rooms.
  void reclaim(const std::string& rooms);
  // The room has ended. `killed`: its keeper was killed: its other processes are killed too.
  // Nothing happens if the room has no user of its own.
  void give_back(const std::string& room, const RoomFiles& files, bool killed);

 private:
  // Nullopt: each has a room.
  [[nodiscard]] std::optional<uid_t> take(const std::string& room);
  [[nodiscard]] bool usable(uid_t user);
  // Warns once if the sockets of games that run as another user cannot be seen.
  void look_at_own_rights();
  void take_folder(const RoomFiles& files) const;

  UserRange range_;
  std::uint32_t next_;
  process::Descriptor lock_;
  std::map<std::string, uid_t> by_room_;
  std::set<uid_t> taken_;
  std::set<uid_t> doubtful_;  // users that may have processes
  bool looked_at_rights_ = false;
};

}  // namespace fixkeep::worker
