// Gives each room its own user, from a reserved range of user numbers.
//
// A number is given to one room at a time. When the room has ended, the number returns to the end
// of the queue. The room's remains on disk then belong to the worker. The next room with this
// number thus cannot read them. The user of a room from an earlier run is the owner of the room's
// own folder: no game can change that owner.
// Invariants: 1. At any time, no two rooms of any runs of the worker have the same number.
//             2. If processes of a number may exist, the number is given to a room only after these
// processes are gone. Fault model: another worker of this machine may use numbers of the range:
// open() then returns an error. Thread rule: one owner. Bounds: the rooms. All processes of the
// machine are listed in three cases: at the start, after a keeper was killed, and when the next
// number to give is doubtful. Errors: returned as a sentence.
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

  // Returns the error; empty: none. Waits up to a second for a worker that has just left. REQUIRES:
  // this is the first call, and the only call of open().
  [[nodiscard]] std::string open();

  // Returns the user of the room's game: the room's own user, or the user of the launch. A returned
  // text is the error.
  // REQUIRES: the room has no user yet.
  [[nodiscard]] std::variant<std::optional<keeper::Plan::User>, std::string> user_for(
      const Launch& launch);
  // Keeps the user of a room from an earlier run. If the user is outside the range, nothing
  // happens.
  void hold(const std::string& room, const RoomFiles& files);
  // Makes the worker the owner of the remains of all rooms for which hold() was not called. The
  // user of such a room is not given to another room while processes of this user exist. `rooms` is
  // the folder of all rooms.
  void reclaim(const std::string& rooms);
  // Takes back the user of an ended room, if the room had its own user. `killed`: the room's keeper
  // was killed, so all processes of this user are killed too.
  void give_back(const std::string& room, const RoomFiles& files, bool killed);

 private:
  // Takes a number for the room. Nullopt: no number is free.
  [[nodiscard]] std::optional<uid_t> take(const std::string& room);
  [[nodiscard]] bool usable(uid_t user);
  // Warns once if the worker cannot see the sockets of games that run as another user.
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
