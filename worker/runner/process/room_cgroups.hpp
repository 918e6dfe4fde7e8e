// A control group for each room: its processes and their limits.
//
// The groups of rooms are beside the worker's: below the group in which the worker was started and
// not in a parent of their own. A room's CPU weight thus competes with the worker's and other
// rooms' at any number of rooms. A room is in the unified hierarchy. It is also in the hierarchies
// of version 1 for which it has a limit. Without a unified one it is in one of version 1 anyway.
//
// Their folders are found by the room's name and the worker's file STATE/cgroups. It has the prefix
// before the name in a line for each place of a run: the next run may be in another group but has
// to find them. The alternative is a file for each room. It costs each start another inode. A file
// system that gave back many has to search for the next. Rooms of older workers have a file each.
// Fault model: a machine has no groups or forbids them. A killed keeper leaves them. Limits that
// cannot be set are told and cost no game its room. Thread rule: one io_context and one thread that
// makes and calls it; `keepers` is called from within open(), folders_for() and restore(). Bounds:
// four folders a room; `end_limit` until the processes in one are gone. Errors: logged; each kind
// at a limited rate.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "worker/keeper/cgroup.hpp"
#include "worker/keeper/protocol.hpp"
#include "worker/keeper/room_limits.hpp"
#include "worker/runner/complaints.hpp"
#include "worker/runner/launch.hpp"
#include "worker/runner/process/cgroup_places.hpp"
#include "worker/runner/process/room_files.hpp"
#include "worker/runner/process/unified_cgroup.hpp"

namespace fixkeep::worker {

class RoomCgroups {
 public:
  static constexpr std::chrono::milliseconds end_limit{2000};

  struct Place {
    CgroupPlaces own;   // the worker's groups
    std::string state;  // the worker's own state folder: names come from it
    UnifiedCgroup::Keepers keepers;
  };
  RoomCgroups(boost::asio::io_context& context, Place place);

  // Comes once before any other call: tries out the rights on this machine and tells them. Warns if
  // one of these limits cannot be set.
  void open(const std::vector<RoomLimits>& wanted);

  // The folders for the group of a starting room. Its keeper makes them. Empty if it cannot have a
  // group. Reads two small files of the kernel if a limit needs version 2.
  [[nodiscard]] std::vector<std::string> folders_for(const Launch& launch);
  // Sets limits that were lost while no worker was there: the controllers were given back.
  void restore(const RoomFiles& files, const Launch& launch);
  // A keeper's complaint about its room's group: see Word::complaint.
  void complain(const keeper::Packet& complaint);
  // The room's keeper is gone: ends its remains. `done` is called once (maybe from within) unless
  // this object ends before.
  void end(const RoomFiles& files, std::function<void()> done);

 private:
  enum class Kind : std::uint8_t { memory, processes };

  struct Ending;

  void try_out(std::string& place);
  void record_places();
  [[nodiscard]] static std::vector<Kind> kinds_in(const std::vector<RoomLimits>& limits);
  [[nodiscard]] static std::string to_string(Kind kind);
  [[nodiscard]] static std::string controller_of(Kind kind);
  [[nodiscard]] const std::string& version_1(Kind kind) const;
  [[nodiscard]] bool can_limit(Kind kind);
  void look_again(const std::shared_ptr<Ending>& ending);

  boost::asio::io_context& context_;
  CgroupPlaces places_;  // places that work
  UnifiedCgroup unified_;
  std::string state_;
  std::string prefix_;
  std::string refusal_;  // why a place or a controller does not work
  Complaints complaints_{"which"};
  std::shared_ptr<bool> lives_ = std::make_shared<bool>(true);
};

// The group made for a room by any run of the worker; empty if it is gone.
[[nodiscard]] keeper::Cgroup recorded_cgroup(const RoomFiles& files);
// Ends its processes and blocks for up to RoomCgroups::end_limit; tells those that do not end.
void end_recorded_cgroup(const RoomFiles& files);

}  // namespace fixkeep::worker
