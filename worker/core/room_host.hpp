// The rooms of one worker: seats, reservations, promises and the starts and ends of processes.
//
// It alone decides whether a seat is free. Sans-IO; the Asio shell and the simulator drive the same
// object. step() is total and deterministic; the order of the actions is the contract.
//
// Invariants: 1. Taken seats never exceed a room's capacity.
//             2. An order makes no room if its basis is older than the newest promised fence of its
//                group.
//             3. One creation id makes at most one room.
//             4. Every reservation ends: the player arrives, it is given back, or its time is over.
//                A seat that a master was granted stays until its own reservation has ended.
//                The mode's SeatRule decides about a seat whose time is over.
//             5. An open room has a place, and masters were told it.
//             6. A warm room is given once to one group by an order that would else make a room.
//             7. No game is ended for a time in which the worker or the game was not scheduled.
//             8. No warm room is made in the last place for a room: players have that.
// Thread rule: one owner. Bounds: RoomHostOptions. Errors: in the replies.
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
  std::string address;  // the host of rooms whose place names none
  std::uint16_t ping_port = 0;
  std::uint32_t room_limit = 100;
  std::uint32_t memory_mib = 0;  // memory of all rooms together; 0: not limited
  Duration reservation{std::chrono::seconds{15}};
  // Messages that wait in sockets are heard and LookAtGame is answered within this time. A seat is
  // kept that much longer. Nothing ends sooner after the worker was held up.
  Duration hears_first{std::chrono::milliseconds{250}};
  Duration close_empty_after{std::chrono::seconds{60}};
  // A room ends after this time if it has no taken seat and is not open yet or had no player since
  // it opened: its clients have hung up, did not come or were told to come back. They come back in
  // a second or two. Another room would cost more than this one does meanwhile. After
  // close_empty_after if that is sooner.
  Duration unwanted_after{std::chrono::seconds{10}};
  // Agones' defaults: a game is unhealthy after 3 periods of 5 s without a sign of life. They hold
  // for a game only after its first sign.
  Duration health_period{std::chrono::seconds{5}};
  std::uint32_t health_failures = 3;
  Duration promise_memory{std::chrono::minutes{10}};  // tokens of idle groups are forgotten
  BootBackoffOptions boot_backoff;                    // pauses for modes whose games fail to boot
  std::vector<ModeOptions> modes;
  SeatRoot seat_root{};  // the root of the rooms' keys
  // A worker that is to end waits this long for the ends of killed games.
  Duration last_wait = std::chrono::seconds{10};
  // The interval at which a booting game is asked why it is not ready. 0: only when it is about to
  // be ended.
  Duration look_at_boots = std::chrono::seconds{5};
  // The interval at which a game with taken seats is looked at if only a look tells its players.
  // After two looks in a row without players, all have left.
  Duration look_at_players = std::chrono::seconds{10};
  // StartProcess waits for its turn and is answered with ProcessBegun; the boot time counts from
  // there. Otherwise it counts from the order.
  bool starts_queue = false;
  bool record_events = false;
  bool keep_records = false;  // see take_records()
};

struct RoomHostCounters {
  std::uint64_t rooms_started = 0;
  std::uint64_t rooms_given = 0;  // warm rooms that a group got
  std::uint64_t rooms_closed = 0;
  std::uint64_t boots_failed = 0;
  std::uint64_t seats_granted = 0;
  std::uint64_t seats_lapsed = 0;
  std::uint64_t players_admitted = 0;
  std::uint64_t players_turned_away = 0;
  std::uint64_t spawns_refused_stale = 0;
  std::uint64_t spawns_refused_paused = 0;
  std::uint64_t spawns_refused_group = 0;  // the players' input is not for the game
  std::uint64_t spawns_repeated = 0;
};

// Counts closed rooms by mode and reason. Every mode of this worker has an entry for every reason.
using ClosedRooms = std::map<std::pair<ModeName, wire::CloseReason>, std::uint64_t>;

// Counts the time of games from their start until they were ready or had failed. Every mode of this
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
  // The worker was not scheduled for this long after next_tick(). No deadline of a game or a seat
  // counts that time. Messages that came meanwhile are heard before anything ends.
  void held_up(Duration late);
  // Rooms that changed in the batches ended since the last call if events are recorded.
  [[nodiscard]] events::Happenings take_events();

  // Returns the records of all changes in the batches since the last call if records are kept. They
  // must be safe before the actions of these batches are performed.
  [[nodiscard]] Records take_records();
  // All state as records: they make the same memory as all records so far.
  [[nodiscard]] Records snapshot() const;

  // --- looking ----------------------------------------------------------------------------------

  // The truth, for the simulator's invariants, tests, logs and metrics.
  [[nodiscard]] std::vector<wire::RoomInfo> rooms() const;  // all rooms that are not closed
  [[nodiscard]] std::uint32_t headroom() const;
  [[nodiscard]] wire::StartQueue start_queue() const;
  [[nodiscard]] std::vector<wire::PausedMode> paused_modes() const;  // as after the last step
  [[nodiscard]] bool pauses(const GroupKey& group) const;  // the group's games fail to boot
  [[nodiscard]] bool draining() const;  // an operator has asked to drain the whole worker
  [[nodiscard]] bool runs(const ModeName& mode) const;
  // The room must be of this run of this worker, and not closed.
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
