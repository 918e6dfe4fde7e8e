// The inside of RoomHost, shared by its source files. room_host.cpp handles time. Each other file
// has the name of its subject. `now` and `out` are valid within step() only. Thread rule: that of
// RoomHost.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "worker/core/boot_backoff.hpp"
#include "worker/core/capacity.hpp"
#include "worker/core/confirmations.hpp"
#include "worker/core/creations.hpp"
#include "worker/core/drains.hpp"
#include "worker/core/health.hpp"
#include "worker/core/host_clock.hpp"
#include "worker/core/kept_pools.hpp"
#include "worker/core/matches.hpp"
#include "worker/core/mode_troubles.hpp"
#include "worker/core/newcomer_times.hpp"
#include "worker/core/news.hpp"
#include "worker/core/promises.hpp"
#include "worker/core/record_book.hpp"
#include "worker/core/room.hpp"
#include "worker/core/room_host.hpp"
#include "worker/core/seat_deadlines.hpp"

namespace fixkeep::worker {

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
  void on(NewcomersDecided&& event);
  void on(ResultSaid&& event);
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
  // --- records for the worker's next run
  [[nodiscard]] RoomRecord record_of(const Room& room) const;
  // Returns the room's seats for a change, and notes the room for the records.
  Seats& changing_seats(Room& room);
  void record_changes();
  void end_result(RoomNumber number);  // its game is gone
  void record_batch();
  Room* recover(const Memory::RememberedRoom& remembered);
  void go_on(Room& room, bool complete);

  // --- requests of masters
  void ordered(const MasterSaid& said, const wire::SeatRequest& request);
  void ordered(const MasterSaid& said, const wire::ReleaseSeats& request);
  void ordered(const MasterSaid& said, const wire::PrepareSpawn& request);
  void ordered(const MasterSaid& said, const wire::SpawnRoom& request);
  void ordered(const MasterSaid& said, const wire::KeepWarm& request);
  void ordered(const MasterSaid& said, const wire::CloseWarmRoom& request);
  void show_rooms(MasterId master, wire::PrepareReply& reply);
  void repeat_spawn(MasterId master, const wire::SpawnRoom& request, RoomNumber number,
                    wire::SpawnReply&& reply);
  // Returns a warm room or a new room. Returns null and the reason if the order fails.
  Room* room_for(const wire::SpawnRoom& order, const std::string& why_not_told,
                 wire::SpawnOutcome& outcome);
  Room& make_room(const wire::SpawnRoom& order, const ModeOptions& mode);
  [[nodiscard]] Room* warm_room_for(const wire::SpawnRoom& order);
  void give(Room& room, const wire::SpawnRoom& order);
  void enter_group(Room& room, const GroupKey& group, const CreationId& creation);
  void leave_group(Room& room);
  // grant() gives each claim seats for all its players, or no seat. It sets the reply's fields
  // about grants and returns the newly seated players.
  // seated: only claims whose players all have seats. first_match: the claims of the room's order.
  enum class For : std::uint8_t { all, seated, first_match };
  template <class Reply>
  std::vector<PlayerId> grant(Room& room, const std::vector<wire::Claim>& claims, MasterId master,
                              Reply& reply, For whom = For::all);
  bool grant_one(Room& room, const wire::Claim& claim, MasterId master, ReservationId reservation,
                 std::vector<PlayerId>& seated, For whom);
  void match_changed(Room& room);
  void reserve(Room& room, const PlayerId& player, SeatReservation reservation);
  // Ends the reservations in `request`. Returns whether the seat is free now.
  bool give_back(Room& room, const PlayerId& player, MasterId master,
                 const wire::ReleaseSeats& request);
  // Returns the length of a reservation: the player must come, or come back, within this time.
  [[nodiscard]] Duration time_to_come(const Room& room) const;
  [[nodiscard]] Duration time_to_come_back(const Room& room) const;
  void expect(const Room& room, const PlayerId& player, ReservationId reservation, Duration length);
  void expect_all(const Room& room, Duration length);

  [[nodiscard]] std::optional<wire::PausedMode> pause_of(const ModeName& mode) const;
  [[nodiscard]] wire::WorkerModes worker_modes() const;
  void blame(const Room& room, std::string why);  // notes a failure of the room's game
  [[nodiscard]] bool nobody_has_seen(const Room& room) const;
  void tell_news();  // and records it

  // Steps the room's life and performs its outputs. `said`: how the game ended or why it must end.
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
  void look_at_boot(const Room& room);
  void look_at_boots();
  void look_at_players(const Room& room);
  void look_at_players();
  void saw_players(Room& room);
  void lapse(const Expiry& expiry);
  void drain(Room& room, std::optional<Duration> most);
  [[nodiscard]] bool keeps_seat_of(const Room& room, const PlayerId& player) const;
  void lapse_what_is_over();
  void seat_freed(Room& room, const PlayerId& player);
  void watch_emptiness(Room& room) { live(room, life::NeedChanged{need_of(room)}); }
  void watch_timer(const Room& room, const std::optional<RoomLife::Timer>& before);
  void tell_if_stopped();
  void wait_no_longer_than(Duration until_they_are_asked);
  void forget_kept(MasterId master);
  void watch_warm_rooms();
  [[nodiscard]] bool is_kept_warm(const Room& room) const;

  [[nodiscard]] const ModeOptions* mode_of(const ModeName& name) const;  // null: mode not run here
  [[nodiscard]] const ModeOptions& rules_of(const Room& room) const;
  void measure_modes();
  [[nodiscard]] Room* find(RoomNumber number);
  [[nodiscard]] std::uint32_t headroom() const;
  [[nodiscard]] Outlook outlook() const;
  void send(MasterId master, wire::Report&& message);

  RoomHostOptions options;
  TimePoint now;  // the time of `clock`
  Actions* out = nullptr;

  // --- parts: each part owns its state
  HostClock clock;
  Capacity capacity;
  Drains drains;
  KeptPools kept_pools;
  Promises promises;
  Creations creations;
  EndedMatches ended_matches;
  Results results;
  std::map<RoomNumber, std::vector<ResultSaid>> new_results;  // the first of each room counts
  NewcomerTimes newcomer_times;
  Health health;  // games of rooms that are not closed
  BootBackoff boot_backoff;
  ModeTroubles mode_troubles;
  std::string why_no_places;  // why the runner has no free place, if known
  RecordBook records;
  SeatDeadlines seat_deadlines;
  std::optional<TimePoint> waits_until;  // end of a stopping worker's wait for its games
  Confirmations confirmations;
  News news;

  // --- rooms
  Rooms rooms;  // includes closed rooms until the process is gone and masters know it
  std::map<GroupKey, std::set<RoomNumber>> groups;  // rooms that are not closed
  std::set<std::pair<TimePoint, RoomNumber>> timers;
  std::set<std::pair<TimePoint, RoomNumber>> players_seen_at;  // next LookAtGame of open rooms
  std::set<std::pair<TimePoint, RoomNumber>> boots_seen_at;    // next LookAtGame of starting rooms
  std::vector<RoomNumber> seats_changed;  // rooms whose seats have changed in this batch
  std::vector<RoomNumber> gone;           // rooms to drop at the end of the batch
  std::uint64_t last_reservation = 0;
  std::set<ModeName> never_warm_told;
  RoomHostCounters counters;
  ClosedRooms closed_rooms;
  BootTimes boots;
  events::Happenings happenings;
};

}  // namespace fixkeep::worker
