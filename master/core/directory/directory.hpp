// The directory is a master's belief about workers and rooms.
//
// The directory is built from the workers' messages. Rooms that no worker has shown yet come from
// the hints in a lock value. A restarted master has the same directory when its workers have
// connected. The directory is only a belief: the worker decides about a seat.
//
// Reading (HTTP, dashboard, metrics): workers() is ordered by WorkerId, their rooms by RoomNumber.
// find() takes a RoomId. rooms_of() returns the rooms of one group. References are valid until the
// next call of a function that is not const.
//
// Invariants: 1. A room is askable exactly if it accepts players, seems to have free seats and has
//                no open SeatRequest.
//             2. rooms_of(group) returns exactly the rooms of the group in workers().
//             3. each_seat() finds exactly the players of all rooms.
// Thread rule: one owner. Bounds: wire::limits::rooms and players per worker. The loss of the
// largest worker takes less than 0.1 s (fixkeep-bench-worker-loss). Errors: ignores unknown names.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/ids.hpp"
#include "common/wire/messages.hpp"
#include "master/core/directory/placement.hpp"
#include "master/core/directory/player_set.hpp"
#include "master/core/directory/room.hpp"
#include "master/core/directory/worker.hpp"
#include "master/core/seam/player_hasher.hpp"
#include "master/core/workers/worker_runs.hpp"

namespace fixkeep::master {

// Counts the warm rooms of one worker and one pool.
struct WarmRooms {
  std::uint32_t open = 0;
  std::uint32_t starting = 0;
};

// Names everything that has changed since the last take_news(); a name may appear twice. After a
// change of a worker's link only the worker is named, without its rooms.
struct DirectoryNews {
  std::vector<WorkerId> workers;
  std::vector<RoomId> rooms;
};

class Directory {
 public:
  explicit Directory(Placement placement, PlayerHasher hash = {})
      : placement_(placement), hash_(hash) {}

  // --- reading
  [[nodiscard]] const std::map<WorkerId, Worker>& workers() const { return workers_; }
  [[nodiscard]] const Worker* find(const WorkerId& worker) const;
  [[nodiscard]] const Room* find(const RoomId& room) const;
  [[nodiscard]] const std::set<RoomId>& rooms_of(const GroupKey& group) const;
  // Visits each room of any group that accepts players and has a seat of the player.
  void each_seat(const PlayerId& player, auto visit) const {
    const HashedPlayer hashed{hash_(player), player};
    const auto [first, last] = seats_.equal_range(hashed.hash);
    for (auto at = first; at != last; ++at) {
      const Room& room = *at->second;
      if (room.takes_players() && room.players.contains(hashed)) visit(room);
    }
  }
  [[nodiscard]] bool has_seat(const Room& room, const PlayerId& player) const;
  // Returns the highest number of seats, in all groups, that a player of the claim has.
  [[nodiscard]] std::size_t most_seats(const wire::Claim& claim) const;
  // Returns whether the worker has shown the order's room, in this group, over the present link.
  // The room may have closed meanwhile.
  [[nodiscard]] bool has_shown(const WorkerId& worker, const GroupKey& group,
                               const CreationId& creation) const;
  // Returns the room to ask next (placement.hpp) for a claim of this kind, or null.
  [[nodiscard]] const Room* next_room(const GroupKey& group, std::uint32_t seats,
                                      bool no_backfill = false) const;
  // Returns whether a worker has a warm room of the mode, or headroom for a new room.
  [[nodiscard]] bool can_start(const ModeName& mode, std::uint32_t capacity) const;
  [[nodiscard]] bool can_warm(const ModeName& mode) const;  // some worker can make warm rooms now
  [[nodiscard]] std::size_t startable_rooms() const;        // headroom and warm rooms
  [[nodiscard]] std::map<WorkerId, WarmRooms> warm_rooms(const GroupKey& pool) const;
  [[nodiscard]] std::size_t rooms_in_use(const ModeName& mode) const;  // rooms with a group
  // Grows whenever a room appears, disappears or is given to a group.
  [[nodiscard]] std::uint64_t rooms_generation() const { return rooms_generation_; }
  // Returns the time until this many more rooms have started, at the pace of the workers with
  // queued starts. Null if there are no such workers or their pace is unknown.
  [[nodiscard]] std::optional<Duration> start_wait(std::size_t rooms) const;
  // Counts the group's rooms that are starting according to the workers' news.
  [[nodiscard]] std::size_t starting_rooms(const GroupKey& group) const;
  // Counts the starting rooms and unanswered orders for one client, in all groups.
  [[nodiscard]] std::uint32_t starting_rooms(const ClientAddress& client) const;
  [[nodiscard]] bool all_known() const { return unknown_ == 0; }
  [[nodiscard]] std::vector<wire::RoomHint> hints(const GroupKey& group) const;
  // Returns whether this master has seen a later run of the worker.
  [[nodiscard]] bool run_over(const WorkerId& worker, Incarnation run) const {
    return runs_.over(worker, run);
  }
  // Grows whenever a worker may be able to start a room that it could not start before.
  [[nodiscard]] std::uint64_t capacity_generation() const { return capacity_generation_; }

  // Returns the news since the last call, for a copy of the directory
  // (master/http/view/writer.hpp). The first call names everything, and starts the recording. A
  // master without a copy records nothing.
  [[nodiscard]] DirectoryNews take_news();

  // --- writing. Functions ignore unknown rooms and workers.
  void connect(const WorkerId& worker, Incarnation incarnation);
  void disconnect(const WorkerId& worker);
  void set_probation(const WorkerId& worker, bool on_probation);
  void set_behind(const WorkerId& worker, bool behind);
  // Says whether the worker gets no more orders for this mode. An empty name means every mode.
  void set_without_orders(const WorkerId& worker, const ModeName& mode, bool without);
  // Applies a WorkerState except its rooms.
  void introduce(const WorkerId& worker, const wire::WorkerState& state);
  void set_modes(const WorkerId& worker, const wire::WorkerModes& modes);
  void set_headroom(const WorkerId& worker, std::uint32_t headroom);
  void set_starts(const WorkerId& worker, const wire::StartQueue& starts);
  void order_begins(const WorkerId& worker, const ClientAddress& client, bool only_warm);
  void order_ends(const WorkerId& worker, const ClientAddress& client, bool only_warm);
  void attribute(const RoomId& room, const ClientAddress& client);
  void note_newest(const WorkerId& worker, ReservationId newest);
  void set_newest_room(const WorkerId& worker, RoomNumber newest);
  void forget_mode(const WorkerId& worker, const ModeName& mode);
  void forget_warm(const WorkerId& worker, const ModeName& mode);
  // Replaces the known state of the room. The room's group may change once, from a warm pool to a
  // group of players. Returns false if the group changes in another way, if an open room has no
  // port, or if the worker has too many rooms or players.
  [[nodiscard]] bool put(const WorkerId& worker, const wire::RoomInfo& info);
  void change(const RoomId& room, const wire::RoomChange& change);
  void seats_reserved(const RoomId& room, const wire::SeatReply& reply);
  // Call when a worker has granted `seats` in a provisional room. Only the number of its free seats
  // is known, not its players: reduces this number.
  void take_hinted(const RoomId& room, std::uint32_t seats);
  void denied(const RoomId& room, std::uint32_t seats);
  void give_back(const RoomId& room, std::uint32_t seats);
  // Forgets which rooms denied seats. A holder then asks every room again, because a seat may have
  // become free without news.
  void forget_denials(const GroupKey& group);
  void set_asked(const RoomId& room, bool asked);
  void remove(const RoomId& room);
  // Adds a provisional room, or gives a warm room to the group. Returns false if neither is
  // possible, for example if the room has a group or has closed.
  bool hint(const GroupKey& group, const wire::RoomHint& hint);
  // Returns the provisional rooms that have closed: the worker's later news does not show them.
  [[nodiscard]] std::vector<RoomId> overtaken_hints(const WorkerId& worker) const;

 private:
  struct Rooms {
    explicit Rooms(Placement placement) : askable(placement) {}
    std::set<RoomId> all;
    AskableRooms askable;
    std::size_t starting = 0;
  };
  // Key: hash of a player. Value: a room with a seat of this player. Rooms do not move.
  using Seats = std::unordered_multimap<PlayerHash, const Room*>;

  [[nodiscard]] Worker* worker_of(const WorkerId& worker);
  [[nodiscard]] Room* room_of(const RoomId& room);
  [[nodiscard]] Rooms& group_of(const GroupKey& group);
  static bool askable(const Room& room);
  // Call unindex() before and index() after every change of a room (phase or free seats).
  void unindex(Rooms& group, const Room& room);
  void index(Rooms& group, const Room& room);
  void count(const ClientAddress& client);
  void uncount(const ClientAddress& client);
  [[nodiscard]] static bool may_turn(const GroupKey& before, const GroupKey& told);
  void give(Room& room, const GroupKey& group);
  void enter(Room& room);  // adds the room to its group
  void leave(const Room& room);
  void seat(Room& room, const PlayerId& player);
  void unseat(Room& room, const PlayerId& player);
  void seat_all(Room& room, const std::vector<PlayerId>& players);
  void unseat_all(Room& room);
  void forget_seats(const Room& room, PlayerHash hash);  // the seats of players with this hash
  void drop(const RoomId& room);  // like remove(), but put() may add it again
  void note(Room& room);
  void note(const WorkerId& worker);

  Placement placement_;
  PlayerHasher hash_;
  std::map<WorkerId, Worker> workers_;
  WorkerRuns runs_;
  std::unordered_map<GroupKey, Rooms> groups_;
  Seats seats_;
  std::map<ClientAddress, std::uint32_t> clients_;  // starting rooms and unanswered orders
  std::size_t unknown_ = 0;                         // workers whose WorkerState has not arrived
  std::size_t provisional_ = 0;
  std::size_t warm_ = 0;                    // rooms without a group
  std::map<ModeName, std::size_t> in_use_;  // rooms that have a group
  std::uint64_t rooms_generation_ = 0;
  bool keeps_news_ = false;
  DirectoryNews news_;
  std::uint64_t links_generation_ = 0;
  std::uint64_t capacity_generation_ = 1;
};

}  // namespace fixkeep::master
