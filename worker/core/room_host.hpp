// RoomHost owns the rooms of one worker: seats, reservations, promises and the starts and ends of
// processes.
//
// RoomHost alone decides whether a seat is free. Sans-IO; the Asio shell and the simulator drive
// the same object. step() is total and deterministic; the order of the actions is the contract.
//
// Invariants: 1. Taken seats never exceed a room's capacity.
//             2. An order makes no room if its basis is older than the newest promised fence of its
//                group.
//             3. One creation id makes at most one room.
//             4. Every reservation ends: its player arrives, the reservation is given back, or its
//                time is over. If a seat is granted to a master, it stays taken until that master's
//                reservation has ended. If the time of a seat is over, the mode's SeatRule decides
//                what happens to the seat.
//             5. An open room has a place, and masters know the place.
//             6. A warm room is given only once, to one group. The order to which it is given
//                makes no other room.
//             7. No game ends because the worker or the game had no processor for some time.
//             8. No warm room takes the last free place: this place is for players.
// Thread rule: one owner. Bounds: see RoomHostOptions. Errors: reported in the replies.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/duration_histogram.hpp"
#include "common/events/event.hpp"
#include "worker/core/boot_backoff.hpp"
#include "worker/core/events.hpp"
#include "worker/core/mode_options.hpp"

namespace fixkeep::worker {

struct RoomHostOptions {
  WorkerId self;
  Incarnation incarnation;
  ZoneName zone;
  std::string address;  // the host for rooms whose place has no host
  std::uint16_t ping_port = 0;
  std::uint32_t room_limit = 100;
  std::uint32_t memory_mib = 0;  // memory of all rooms together; 0: not limited
  Duration reservation{std::chrono::seconds{15}};
  // Time to read messages that wait in sockets, and to answer LookAtGame. The worker keeps each
  // seat for this additional time. After a pause of the worker, nothing ends until this time has
  // passed.
  Duration hears_first{std::chrono::milliseconds{250}};
  Duration close_empty_after{std::chrono::seconds{60}};
  // A room without taken seats closes after this time if it is not open yet, or if no player has
  // ever entered it (exceptions: warm rooms, and the open room of a match). It does not close at
  // once: its clients may have been told to retry in a second or two, and a new room would cost
  // more than this wait. If close_empty_after is shorter, it applies to the open room instead.
  Duration unwanted_after{std::chrono::seconds{10}};
  // Agones' defaults: a game is unhealthy after 3 periods of 5 s without a sign of life. These
  // limits apply to a game only after its first sign of life.
  Duration health_period{std::chrono::seconds{5}};
  std::uint32_t health_failures = 3;
  Duration promise_memory{std::chrono::minutes{10}};  // idle groups are forgotten after this
  BootBackoffOptions boot_backoff;                    // pauses for modes whose games fail to boot
  std::vector<ModeOptions> modes;
  SeatRoot seat_root{};  // the root of the rooms' keys
  // A stopping worker waits this long for killed games to exit.
  Duration last_wait = std::chrono::seconds{10};
  // The interval of LookAtGame for a booting game, to learn why the game is not ready. 0: the
  // worker looks only before it ends the game.
  Duration look_at_boots = std::chrono::seconds{5};
  // The interval of LookAtGame for a game with players under SeatRule::until_exit. If all answers
  // of this time show no connection, the worker assumes that all players have left.
  Duration look_at_players = std::chrono::seconds{10};
  // True: StartProcess waits in a queue and is later answered with ProcessBegun. The boot time
  // starts with this answer. False: the boot time starts with the order.
  bool starts_queue = false;
  bool record_events = false;
  bool keep_records = false;  // see take_records()
};

struct RoomHostCounters {
  std::uint64_t rooms_started = 0;
  std::uint64_t rooms_given = 0;  // warm rooms given to a group
  std::uint64_t rooms_closed = 0;
  std::uint64_t boots_failed = 0;
  std::uint64_t seats_granted = 0;
  std::uint64_t seats_lapsed = 0;
  std::uint64_t players_admitted = 0;
  std::uint64_t players_turned_away = 0;
  std::uint64_t spawns_refused_stale = 0;
  std::uint64_t spawns_refused_paused = 0;
  std::uint64_t spawns_refused_group = 0;  // the game must not get the players' input
  std::uint64_t spawns_repeated = 0;
};

// Counts closed rooms by mode and reason. Every mode of this worker has an entry for every reason.
using ClosedRooms = std::map<std::pair<ModeName, wire::CloseReason>, std::uint64_t>;

// Measures the time from the start of a game until it was ready or had failed. Every mode of this
// worker has an entry.
struct Boots {
  DurationHistogram ready;
  DurationHistogram failed;
};
using BootTimes = std::map<ModeName, Boots>;

class RoomHost {
 public:
  using Event = worker::Event;
  using Actions = worker::Actions;
  using TimePassed = worker::TimePassed;

  RoomHost(RoomHostOptions options, TimePoint now);
  ~RoomHost();
  RoomHost(RoomHost&&) noexcept;
  RoomHost& operator=(RoomHost&&) noexcept;

  void step(Event&& event, TimePoint now, Actions& out);
  [[nodiscard]] TimePoint next_tick() const;
  // Notes that the worker did not run for the time `late` after next_tick(). Deadlines of games and
  // seats move by this time. Messages that arrived during this time are read before anything ends.
  void held_up(Duration late);
  // Returns the rooms that changed in the batches since the last call, if `record_events` is set.
  [[nodiscard]] events::Happenings take_events();

  // Returns the records of all changes in the batches since the last call, if `keep_records` is
  // set. Store them before you perform the actions of these batches.
  [[nodiscard]] Records take_records();
  // Whether games have said results whose records were not stored yet. Then call results_written()
  // and end another batch: games get their answers, and masters hear of the results. If the records
  // could not be stored, the results are forgotten, and the games hear that they must repeat them.
  [[nodiscard]] bool has_new_results() const;
  void results_written(bool stored, Actions& out);
  // Returns all state as records. They make the same Memory as all records of take_records() so
  // far.
  [[nodiscard]] Records snapshot() const;

  // --- state ------------------------------------------------------------------------------------

  // The present state, for the simulator's invariants, tests, logs and metrics.
  [[nodiscard]] std::vector<wire::RoomInfo> rooms() const;  // all rooms that are not closed
  [[nodiscard]] std::uint32_t headroom() const;
  [[nodiscard]] wire::StartQueue start_queue() const;
  [[nodiscard]] std::vector<wire::PausedMode> paused_modes() const;  // state after the last step
  [[nodiscard]] bool pauses(const GroupKey& group) const;  // the group's games fail to boot
  [[nodiscard]] bool draining() const;  // an operator has asked to drain the whole worker
  [[nodiscard]] bool runs(const ModeName& mode) const;
  // Returns the room's number if the room belongs to this run of the worker and is not closed;
  // otherwise nullopt.
  [[nodiscard]] std::optional<RoomNumber> number_of(const RoomId& room) const;
  [[nodiscard]] FencingToken promised(const GroupKey& group) const;
  [[nodiscard]] const RoomHostCounters& counters() const;
  [[nodiscard]] const ClosedRooms& closed_rooms() const;
  [[nodiscard]] const BootTimes& boot_times() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fixkeep::worker
