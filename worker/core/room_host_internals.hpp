// The inside of RoomHost, shared by its sources: room_host.cpp (time), room_host_life.cpp (what
// comes of the life of a room), room_host_games.cpp (what games do),
// room_host_drains.cpp (what operators ask for),
// room_host_orders.cpp (what masters ask for), room_host_modes.cpp (which modes take orders),
// room_host_warm.cpp (rooms without a group) and room_host_records.cpp (what outlives the worker).
//
// `now` and `out` are valid within step() only. Thread rule: as RoomHost.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "worker/core/boot_backoff.hpp"
#include "worker/core/creations.hpp"
#include "worker/core/health.hpp"
#include "worker/core/news.hpp"
#include "worker/core/promises.hpp"
#include "worker/core/room.hpp"
#include "worker/core/room_host.hpp"
#include "worker/core/start_pace.hpp"

namespace fixkeep::worker {

// Reservations of one length end in the order in which they were made: a queue for each length and
// not a heap. One that was given back or used meanwhile ends nothing when its turn comes.
struct Expiry {
  TimePoint at;
  RoomNumber room;
  PlayerId player;
  ReservationId reservation;
  bool is_last = false;  // of a seat of which nobody could tell whether its player had come
};
[[nodiscard]] inline wire::RequestContext cause_or_none(const wire::SpawnRoom& order) {
  const wire::RequestContext* const cause = wire::cause_of(order.claims);
  return cause == nullptr ? wire::RequestContext{} : *cause;
}

struct RoomHost::Impl {
  Impl(RoomHostOptions chosen, TimePoint since);

  // --- events
  void on(MasterConnected&& event);
  void on(MasterDisconnected&& event);
  void on(MasterSaid&& event);
  void on(RoomPlaced&& event);
  void on(ProcessBegun&& event);
  void on(ProcessReady&& event);
  void on(ProcessExited&& event);
  void on(NotReady&& event);
  void on(GameHealthy&& event);
  void on(GameSeen&& event);
  void on(ShutdownAsked&& event);
  void on(PlayerArrived&& event);
  void on(PlayerLeft&& event);
  void on(PlayersCounted&& event);
  void on(PlayersUnknown&& event);
  void on(GameUnhealthy&& event);
  void on(DrainAsked&& event);
  void on(DrainModeAsked&& event);
  void on(DrainAllAsked&& event);
  void on(Recovered&& event);
  void on(ResumeModeAsked&& event);
  void on(ResumeAllAsked&& event);
  void on(ModesChanged&& event);
  void on(PlacesChanged&& event);
  void on(StopAsked&& event);
  void on(TimePassed&& event);
  void on(BatchEnded&& event);
  // --- what outlives the worker
  [[nodiscard]] RoomRecord record_of(const Room& room) const;
  // The way to change the seats of a room.
  Seats& changing_seats(Room& room);
  void record_changes();
  void record_batch();
  Room* recover(const Memory::RememberedRoom& remembered);
  void go_on(Room& room, bool complete);

  // --- what masters ask for
  void ordered(const MasterSaid& said, const wire::SeatRequest& request);
  void ordered(const MasterSaid& said, const wire::ReleaseSeats& request);
  void ordered(const MasterSaid& said, const wire::PrepareSpawn& request);
  void ordered(const MasterSaid& said, const wire::SpawnRoom& request);
  void ordered(const MasterSaid& said, const wire::KeepWarm& request);
  void ordered(const MasterSaid& said, const wire::CloseWarmRoom& request);
  void show_rooms(MasterId master, wire::PrepareReply& reply);
  void repeat_spawn(MasterId master, const wire::SpawnRoom& request, RoomNumber number,
                    wire::SpawnReply&& reply);
  // A warm room, or a new one; null, and why, if the order cannot be carried out.
  Room* room_for(const wire::SpawnRoom& order, const std::string& why_not_told,
                 wire::SpawnOutcome& outcome);
  Room& make_room(const wire::SpawnRoom& order, const ModeOptions& mode);
  [[nodiscard]] Room* warm_room_for(const wire::SpawnRoom& order);
  void give(Room& room, const wire::SpawnRoom& order);
  void enter_group(Room& room, const GroupKey& group, const CreationId& creation);
  void leave_group(Room& room);
  // Seats for the claims, in full each or not at all: the fields of the reply that say so. Returns
  // the players who had no seat before.
  template <class Reply>
  std::vector<PlayerHash> grant(Room& room, const std::vector<wire::Claim>& claims, MasterId master,
                                Reply& reply);
  bool grant_one(Room& room, const wire::Claim& claim, MasterId master, ReservationId reservation,
                 std::vector<PlayerHash>& seated);
  void reserve(Room& room, const PlayerId& player, ReservationId reservation);
  void expect(const Room& room, const PlayerId& player, ReservationId reservation);
  void expect_all(const Room& room);

  [[nodiscard]] std::optional<wire::PausedMode> pause_of(const ModeName& mode) const;
  [[nodiscard]] wire::WorkerModes worker_modes() const;
  void blame(const Room& room, std::string why);  // its game
  [[nodiscard]] bool nobody_has_seen(const Room& room) const;
  void tell_modes();

  // Steps it and performs what comes of it. `said`: how the game ended, or why it is to end.
  void live(Room& room, const life::Event& event, std::string said = {});
  void perform(Room& room, const life::Open& open, std::string& said);
  void perform(Room& room, const life::Close& close, std::string& said);
  void perform(Room& room, const life::TellDrain&, std::string&) { news.changed(room); }
  void perform(Room& room, const life::Signal& signal, std::string& said);
  void perform(Room& room, const life::Kill& kill, std::string& said);
  void perform(Room& room, const life::Look& look, std::string& said);
  void perform(Room& room, const life::ListenFor& listen, std::string& said);
  void perform(Room& room, const life::Forget& forget, std::string& said);
  [[nodiscard]] LifeRules life_rules(const ModeOptions& mode) const;
  [[nodiscard]] life::Need need_of(const Room& room) const;
  [[nodiscard]] bool is_occupied(const Room& room) const;
  void look(Room& room);
  void lapse(const Expiry& expiry);
  void drain(Room& room, std::optional<Duration> most);
  [[nodiscard]] bool may_come(const Room& room, const PlayerId& player) const;
  void lapse_what_is_over();
  void seat_freed(Room& room, const PlayerId& player);
  void watch_emptiness(Room& room) { live(room, life::NeedChanged{need_of(room)}); }
  void watch_timer(const Room& room, const std::optional<RoomLife::Timer>& before);
  void tell_if_stopped();
  void forget_kept(MasterId master);
  void watch_warm_rooms();
  [[nodiscard]] bool is_kept_warm(const Room& room) const;

  [[nodiscard]] const ModeOptions* mode_of(const ModeName& name) const;  // null: not run here
  [[nodiscard]] const ModeOptions& rules_of(const Room& room) const;
  void measure_modes();
  [[nodiscard]] Room* find(RoomNumber number);
  [[nodiscard]] std::uint32_t headroom() const;
  [[nodiscard]] std::uint32_t places_left() const;
  [[nodiscard]] bool has_capacity_for(const ModeOptions& mode) const;
  [[nodiscard]] Outlook outlook() const;
  [[nodiscard]] wire::WorkerTime worker_time() const;
  void send(MasterId master, wire::Report&& message);

  RoomHostOptions options;
  RoomHostCounters counters;
  ClosedRooms closed_rooms;
  BootTimes boots;
  TimePoint started;
  TimePoint now;           // by a clock that stands still while the worker is held up
  Duration slept{};        // by how much it is behind the one outside
  bool was_late = false;   // with the tick that comes next
  bool has_heard = false;  // what came while it was, once since a tick was in time
  Actions* out = nullptr;

  Rooms rooms;  // closed ones too, until their process is gone and the masters are told
  std::map<GroupKey, std::set<RoomNumber>> groups;   // of rooms that are not closed
  std::map<MasterId, std::set<GroupKey>> kept_warm;  // pools, by the master that names them
  std::set<ModeName> never_warm_told;
  std::vector<RoomNumber> gone;  // to be dropped at the end of the batch
  std::uint32_t newest = 0;      // the highest room number given out
  std::uint32_t processes = 0;   // started and not gone
  StartPace pace;
  std::uint64_t used_mib = 0;
  std::uint32_t largest_mib = 0;        // of all modes
  std::optional<std::uint32_t> places;  // as of the start of `placed`; none: no limit
  std::uint32_t placed = 0;             // the number of a room
  Promises promises;
  Creations creations;
  Health health;                          // of games whose room is not closed
  std::vector<RoomNumber> newly_watched;  // by it, since the last batch ended
  BootBackoff boot_backoff;
  std::set<ModeName> drained_modes;
  bool modes_are_news = false;  // beside what boot_backoff says itself
  News news;
  std::map<Duration, std::deque<Expiry>> expiries;
  // Their time is over; a player who came in time may be heard a moment later, with the next tick.
  std::deque<Expiry> lapsing;
  events::Happenings happenings;
  Records records;
  NumbersRecord recorded_numbers;
  std::vector<RoomNumber> seats_changed;  // since the last batch ended
  std::uint64_t last_reservation = 0;
  std::set<std::pair<TimePoint, RoomNumber>> timers;  // of all rooms
  bool draining = false;                              // no new rooms
  bool stops_when_empty = false;
  bool stopping = false;
  bool stopped = false;
};

}  // namespace fixkeep::worker
