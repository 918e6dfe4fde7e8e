// A room in its worker: its seats, life and news.
//
// Invariants: 1. At most `capacity` seats are taken, by different players.
//             2. `occupied` counts the taken seats whose player is in the game.
// Thread rule: one owner. Bounds: capacity. Errors: none; replies report refusals.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/messages.hpp"
#include "worker/core/memory.hpp"
#include "worker/core/mode_options.hpp"
#include "worker/core/reservations.hpp"
#include "worker/core/room_life.hpp"
#include "worker/core/room_news.hpp"

namespace fixkeep::worker {

struct Seat {
  std::uint64_t came = 0;  // place in the order of arrivals; 0: the player is not in the game
  [[nodiscard]] bool occupied() const { return came != 0; }

  Reservations reservations;  // in an occupied seat: only reservations made after the player came
  std::string brings;         // wire::Claim::brings of the claim that took the seat
  // The game receives these two texts: see wire::MatchPlayer. Each may be empty.
  std::string team;
  std::string attributes;
  std::uint32_t want = 0;  // 1 + index of the room's want that the player fills; 0: none
  [[nodiscard]] bool is_lined_up() const { return !team.empty() || !attributes.empty(); }
};

// Returns whether the want fits a player with this team and these attributes.
[[nodiscard]] bool fits(const Want& want, const std::string& team, const std::string& attributes);

class Seats {
 public:
  // If `noting` is true, stores changes for take_changed().
  explicit Seats(std::uint32_t capacity, bool noting = false)
      : capacity_(capacity), noting_(noting) {}

  [[nodiscard]] std::uint32_t capacity() const { return capacity_; }
  [[nodiscard]] std::uint32_t taken() const { return static_cast<std::uint32_t>(seats_.size()); }
  [[nodiscard]] std::uint32_t occupied() const { return occupied_; }
  [[nodiscard]] bool was_entered() const { return arrivals_ > 0; }
  // Returns whether any claim had a text in Claim::brings: the group is a pool of players.
  [[nodiscard]] bool was_brought_to() const { return brought_; }
  [[nodiscard]] const Seat* find(const PlayerId& player) const;
  [[nodiscard]] const std::map<PlayerId, Seat>& all() const { return seats_; }

  // Returns the claim's players without a seat, each player only one time.
  [[nodiscard]] std::vector<PlayerId> newcomers(const wire::Claim& claim) const;

  // REQUIRES: a seat is free, or the player already has a seat.
  void reserve(const PlayerId& player, SeatReservation reservation);
  // Stores Claim::brings with the player's seat.
  void bring(const PlayerId& player, const std::string& brings);
  // Notes the want that the player fills (Seat::want).
  void fill_want(const PlayerId& player, std::uint32_t want);
  // Call when the game has new wants. A player on its way fills one of these if it has filled an
  // old one, because the game does not know the player yet.
  void want_anew(Wants wants);
  // Stores the facts that the game learns about the player. If the player has no seat, does
  // nothing.
  void line_up(const wire::MatchPlayer& player);
  // Returns the players with seats for which a claim contained facts.
  [[nodiscard]] std::vector<wire::MatchPlayer> lineup() const;
  // Returns whether lineup() has changed since the last call.
  [[nodiscard]] bool take_lineup_changed() { return std::exchange(lineup_changed_, false); }
  // Notes that the player has come. Ends its reservations. REQUIRES: the player has a seat.
  void occupy(const PlayerId& player);
  // Gives a seat to a player that has come without a seat. REQUIRES: a seat is free.
  void occupy_anew(const PlayerId& player);
  // Returns the player that came first of all players in the game; null if the game has none.
  [[nodiscard]] const PlayerId* first_to_come() const;

  // Restores a seat of an earlier run. REQUIRES: a seat is free, and the player has none.
  void restore(const SeatRecord& seat);
  [[nodiscard]] SeatRecord record_of(RoomNumber room, const PlayerId& player) const;
  // Returns the players whose seats changed since the last call. A player may appear more than one
  // time.
  [[nodiscard]] std::vector<PlayerId> take_changed() { return std::exchange(changed_, {}); }

  // Notes that the player has left the game, but keeps the seat. `reservation` replaces all other
  // reservations of the seat, and lasts at least as long as each of them. REQUIRES: the player was
  // in the game.
  void leave_for_a_while(const PlayerId& player, ReservationId reservation);

  // Each of these calls returns true if it has freed the seat. leave() does not free a seat that
  // the player has reserved again since it came.
  [[nodiscard]] bool leave(const PlayerId& player);
  // If no reservation id is given, ends all reservations of the player.
  [[nodiscard]] bool give_back(const PlayerId& player, ReservationId reservation);
  // Ends the reservations of master `by` with ids above `after` and up to `up_to`.
  [[nodiscard]] bool give_back_of(const PlayerId& player, MasterId by, ReservationId after,
                                  ReservationId up_to);
  // Ends all reservations of the player except `kept`.
  [[nodiscard]] bool give_back_others(const PlayerId& player, ReservationId kept);
  [[nodiscard]] bool lapse(const PlayerId& player, ReservationId reservation);

 private:
  // Removes the seat if it is free. Returns whether the seat was removed.
  bool drop_unwanted(std::map<PlayerId, Seat>::iterator seat);
  void note(const PlayerId& player) {
    if (noting_) changed_.push_back(player);
  }

  std::uint32_t capacity_;
  bool noting_;
  bool brought_ = false;
  bool lineup_changed_ = false;
  std::uint32_t occupied_ = 0;
  std::uint64_t arrivals_ = 0;
  std::map<PlayerId, Seat> seats_;
  std::vector<PlayerId> changed_;
};

struct Room {
  RoomNumber number;
  GroupKey group;
  ModeName mode;
  std::optional<wire::RoomPlace> place{};  // always set after the room has opened
  CreationId creation;
  Seats seats;
  RoomLife life;
  std::optional<TimePoint> started_at;  // when this run of the worker started the room
  wire::WorkerTime opened_at{};         // 0 while the room is starting
  // `is_asked`: the game is asked for its number of players (SeatRule::counted). `counted` is the
  // answer, or nullopt while unknown. While it is unknown, no seat goes to another player and the
  // room does not close.
  bool is_asked = false;
  std::optional<std::uint32_t> counted;
  std::optional<bool> connected{};          // a player was connected at the last LookAtGame
  std::optional<TimePoint> nobody_since{};  // the look since which no player was connected
  std::string why_not_ready{};              // shortened; empty: no reason was given
  // Reservations that ran out while the number of players was unknown. Their players keep the
  // seats.
  std::vector<std::pair<PlayerId, ReservationId>> overdue;
  // Players of the match that joined late, with the reservation of the join. The worker's next run
  // does not know them.
  std::map<PlayerId, SeatReservation> joined;
  // True if a player may have been in the room without a report to the worker: a seat's
  // reservation ran out, or the room is from an earlier run.
  bool may_have_been_entered = false;
  // The mode's rules when the room was started. Null: the mode has the same rules now.
  std::shared_ptr<const ModeOptions> older_rules;
  RoomNews news;
  bool seats_changed = false;  // seat records are due at the end of the batch
  // True if seats may be missing here, since records were lost. No more seats are then reserved,
  // but a player that arrives without a known seat is admitted if a seat is free.
  bool uncertain = false;
  std::optional<wire::MatchFacts> match{};  // set if the group is a match
  Admission admission;                      // its rule is from the room's order
  Wants wants{};                            // as the game has said them

  [[nodiscard]] wire::RoomPhase phase() const { return life.phase(); }
  [[nodiscard]] bool closed() const { return phase() == wire::RoomPhase::closed; }
  [[nodiscard]] bool takes_players() const { return life.takes_players(); }
  [[nodiscard]] RoomStage stage() const;
  // Call after a master has given back reservations of the player. Returns whether the player's
  // late join was refused after all: its reservation and all later ones have ended. A player who
  // gives its seat back itself stays in the match.
  [[nodiscard]] bool is_join_refused(const PlayerId& player, MasterId master,
                                     const wire::ReleaseSeats& release);
  // Returns the wants with the numbers of players that are not found yet, perhaps 0.
  [[nodiscard]] Wants wants_left() const;
  [[nodiscard]] bool unknown() const {
    return is_asked && !counted && !closed() && phase() != wire::RoomPhase::starting;
  }
  [[nodiscard]] bool nobody_came() const { return !seats.was_entered() && !may_have_been_entered; }
};

[[nodiscard]] wire::RequestContext cause_or_none(const wire::SpawnRoom& order);

// Returns the players of the room and their teams: the match of a service, or else a match of the
// players that the mode's rules have chosen. Nullopt: the room has neither.
[[nodiscard]] std::optional<wire::MatchFacts> match_of(const Room& room);
// Returns the match of a new room, before the claims of its order have seats.
[[nodiscard]] std::optional<wire::MatchFacts> match_of(const Room& room,
                                                       const wire::SpawnRoom& order);

// Cuts a reason to the length that masters accept, never within a UTF-8 character.
[[nodiscard]] std::string shortened(std::string text);

[[nodiscard]] wire::RoomInfo info_of(const Room& room);
[[nodiscard]] Wants told_wants(const Room& room);  // RoomInfo::wants

}  // namespace fixkeep::worker
