// A control group for each room: what belongs to a game, and the limits that it has.
//
// The groups of rooms are beside that of the worker, below the one that the worker was started in,
// and not in a parent of their own: so the CPU weight of a room is held against that of the worker
// and of other rooms, whatever their number. A room is in the unified hierarchy, and in those of
// version 1 of which it has a limit; without a unified one it is in one of version 1 anyway.
//
// Their folders are found by the room's name and a file of the worker, STATE/cgroups, with what
// stands before the name, a line for each place in which a run of the worker was: the next one may
// be in another group, and yet has to find them. A file for each room, the alternative, costs each
// start an inode more, of which a file system that gave back many has to look for the next. Rooms
// of older workers have one.
// Fault model: a machine has none, or does not let us; a keeper that was killed leaves them. Limits
// that cannot be set are told, and cost no game its room.
// Thread rule: one io_context, one thread, which makes it and calls it; `keepers` is called from
// within open(), folders_for() and restore(). Bounds: four folders a room; `end_limit` until what
// is in one is gone. Errors: logged, each kind at a limited rate.
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
    CgroupPlaces own;   // of the worker
    std::string state;  // its state folder, which is no other worker's: names come from it
    UnifiedCgroup::Keepers keepers;
  };
  RoomCgroups(boost::asio::io_context& context, Place place);

  // Once, before any other call: tries what this machine allows, and tells it. A warning if one of
  // these limits cannot be set.
  void open(const std::vector<RoomLimits>& wanted);

  // The folders of the group of a room that is about to start, which its keeper makes; none if
  // there cannot be one. It reads two small files of the kernel if a limit needs version 2.
  [[nodiscard]] std::vector<std::string> folders_for(const Launch& launch);
  // Sets limits that were lost while no worker was there, since the controllers were given back.
  void restore(const RoomFiles& files, const Launch& launch);
  // A keeper has said this of the group of its room: see Word::complaint.
  void complain(const keeper::Packet& complaint);
  // The room's keeper is gone: ends what it has left. `done` is called once, maybe from within,
  // unless this object ends before.
  void end(const RoomFiles& files, std::function<void()> done);

 private:
  enum class Kind : std::uint8_t { memory, processes, cpu };

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
  CgroupPlaces places_;  // that work
  UnifiedCgroup unified_;
  std::string state_;
  std::string prefix_;
  std::string refusal_;  // why a place does not work, or a controller cannot be had
  Complaints complaints_{"which"};
  std::shared_ptr<bool> lives_ = std::make_shared<bool>(true);
};

// The group that was made for a room, by this run of the worker or by another; none if it is gone.
[[nodiscard]] keeper::Cgroup recorded_cgroup(const RoomFiles& files);
// Ends what is left in it, and blocks for up to RoomCgroups::end_limit; tells what does not end.
void end_recorded_cgroup(const RoomFiles& files);

}  // namespace fixkeep::worker
