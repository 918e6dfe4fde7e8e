// The rooms of one worker: seats, reservations, promises, and when a process starts or ends.
//
// It alone says whether a seat is free. Sans-IO; the Asio shell and the simulator drive the same
// object. step() is total and deterministic; the order of the actions is the contract.
//
// Invariants: 1. seats taken never exceed a room's capacity.
//             2. no room is made by an order that builds on an older fence than the newest one that
//                was promised for its group.
//             3. one creation id makes at most one room.
//             4. every reservation ends: the player arrives, it is given back, or its time is over.
//                A seat that a master was granted stays until its own reservation has ended.
//                What becomes of a seat whose time is over is said by the mode's SeatRule.
//             5. a port belongs to one room until that room's process is gone.
//             6. a warm room is given to one group, once, by an order that would else make a room.
//             7. no warm room is made in the last place for a room: players have that.
// Thread rule: one owner. Bounds: RoomHostOptions. Errors: in the replies.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/events/event.hpp"
#include "worker/core/events.hpp"
#include "worker/core/port_range.hpp"

namespace fixkeep::worker {

// How the worker learns who plays, and so which seats are free.
enum class SeatRule : std::uint8_t {
  told,        // the game says who comes and who goes (SDK)
  counted,     // the game is asked how many there are (PlayersCounted)
  for_a_time,  // nothing is known: a seat stays taken for ModeOptions::seat_time
  until_exit,  // nothing is known: a seat stays taken until the game ends
};

struct ModeOptions {
  ModeName name;
  Duration boot_timeout{std::chrono::seconds{30}};  // from StartProcess to ProcessReady
  Duration stop_grace{std::chrono::seconds{5}};     // from SignalProcess to KillProcess
  std::uint32_t memory_mb = 0;   // what a room is expected to use; 0: not counted
  std::uint32_t more_ports = 0;  // of a room, beside the one that players are told
  SeatRule seats = SeatRule::told;
  Duration seat_time{};  // of SeatRule::for_a_time, from the moment at which the player may come
  bool needs_group = false;  // its game is told its group when it starts, so it is never warm
};

struct RoomHostOptions {
  WorkerId self;
  Incarnation incarnation;
  ZoneName zone;
  std::string address;  // what players are told
  std::uint32_t room_limit = 100;
  std::uint16_t first_port = 20'000;
  std::uint16_t last_port = 20'999;
  std::uint32_t memory_mb = 0;  // for all rooms together; 0: not limited
  Duration reservation{std::chrono::seconds{15}};
  Duration close_empty_after{std::chrono::seconds{60}};
  // A room that still boots and has no seat taken any more is ended after so long: all clients for
  // which it was made have hung up. It is not ended at once, since a client that hangs up often
  // asks again.
  Duration unwanted_after{std::chrono::seconds{1}};
  // These are Agones' defaults: a game is unhealthy after 3 periods of 5 s without a sign of life.
  // Only a game that has given one is held to it.
  Duration health_period{std::chrono::seconds{5}};
  std::uint32_t health_failures = 3;
  Duration promise_memory{std::chrono::minutes{10}};  // tokens of idle groups are forgotten
  std::vector<ModeOptions> modes;
  bool record_events = false;
  PortRange::Usable port_is_usable;  // asked before a room gets a port; empty: all are
};

struct RoomHostCounters {
  std::uint64_t rooms_started = 0;
  std::uint64_t rooms_given = 0;  // warm ones, to a group
  std::uint64_t rooms_closed = 0;
  std::uint64_t boots_failed = 0;
  std::uint64_t seats_granted = 0;
  std::uint64_t seats_lapsed = 0;
  std::uint64_t players_admitted = 0;
  std::uint64_t players_turned_away = 0;
  std::uint64_t spawns_refused_stale = 0;
  std::uint64_t spawns_repeated = 0;
};

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
  // Rooms that changed in the batches that have ended since the last call, if they are recorded.
  [[nodiscard]] events::Happenings take_events();

  // --- looking ----------------------------------------------------------------------------------

  // The truth, for the simulator's invariants, tests, logs and metrics.
  [[nodiscard]] std::vector<wire::RoomInfo> rooms() const;  // all that are not closed
  [[nodiscard]] std::uint32_t headroom() const;
  [[nodiscard]] FencingToken promised(const GroupKey& group) const;
  [[nodiscard]] const RoomHostCounters& counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fixkeep::worker
