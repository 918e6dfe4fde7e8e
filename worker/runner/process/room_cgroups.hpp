// Gives each room a control group, for its processes and their limits.
//
// The rooms' groups are siblings of the worker's group. All these groups are below the group in
// which the worker was started; the rooms have no common parent of their own. Thus each room's CPU
// weight competes with the weights of the worker and of every other room, at any number of rooms. A
// room is in the unified hierarchy. It is also in the hierarchies of version 1 for which it has a
// limit. Without a unified hierarchy, a room is always in one hierarchy of version 1.
//
// The file STATE/cgroups makes the rooms' folders known to the next run, which may be in another
// group. Each line is the part of a path before the room's name, for one hierarchy in one run. A
// file for each room would cost one more inode for each start, and a file system that has freed
// many inodes takes long to find the next free inode. Each room of an older worker has such a file.
// Fault model: a machine has no groups or forbids them. A killed keeper leaves its groups behind. A
// limit that cannot be set is logged, and the game starts without it. Thread rule: one io_context
// and one thread that makes and calls this object; open(), folders_for() and restore() call
// `keepers`. Bounds: four folders a room; the processes in a folder must be gone within
// `end_limit`. Errors: logged; each kind at a limited rate.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
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
    CgroupPlaces own;   // the worker's own groups
    std::string state;  // the worker's own state folder; the names of groups depend on it
    UnifiedCgroup::Keepers keepers;
  };
  RoomCgroups(boost::asio::io_context& context, Place place);

  // Called once, before every other call. Tries out the rights on this machine and logs them. Warns
  // if one of the limits in `wanted` cannot be set.
  void open(const std::vector<RoomLimits>& wanted);

  // Returns the folders for a starting room's group. The room's keeper makes these folders. Empty
  // if the room cannot have a group. Reads two small files of the kernel if a limit needs version
  // 2.
  [[nodiscard]] std::vector<std::string> folders_for(const Launch& launch);
  // Sets the room's limits again. Limits are lost if the controllers were disabled while no worker
  // ran.
  void restore(const RoomFiles& files, const Launch& launch);
  // Logs a keeper's complaint about its room's group: see Word::complaint.
  void complain(const keeper::Packet& complaint);
  // Ends the remains of a room without a keeper. `done` is called once, perhaps before end()
  // returns. It is not called if this object is destroyed earlier.
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
  CgroupPlaces places_;  // usable places only
  UnifiedCgroup unified_;
  std::string state_;
  std::string prefix_;
  std::string refusal_;  // why a place or a controller does not work
  Complaints complaints_{"which"};
  std::shared_ptr<bool> lives_ = std::make_shared<bool>(true);
};

// Returns the group that this or an earlier run of the worker made for a room. Empty if the group
// is gone.
[[nodiscard]] keeper::Cgroup recorded_cgroup(const RoomFiles& files);
// Ends the group's processes: blocks for up to RoomCgroups::end_limit and logs the processes that
// remain.
void end_recorded_cgroup(const RoomFiles& files);

}  // namespace fixkeep::worker
