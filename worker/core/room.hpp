// One room as its worker keeps it: what it is, its seats, its life, and the news about it.
//
// Invariants: 1. at most `capacity` seats are taken, by players that are all different.
//             2. `occupied` counts the taken seats whose player is in the game.
// Thread rule: one owner. Bounds: capacity. Errors: none; what does not fit is said in the answer.
#pragma once

#include <cstddef>
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

namespace fixkeep::worker {

struct Seat {
  std::uint64_t came = 0;  // in the order in which players came; 0: the player is not in the game
  [[nodiscard]] bool occupied() const { return came != 0; }

  Reservations reservations;  // of an occupied seat: those made since its player came
  std::string brings;         // wire::Claim::brings of the claim that took it
};

class Seats {
 public:
  // `noting`: whether changes are kept for take_changed().
  explicit Seats(std::uint32_t capacity, bool noting = false)
      : capacity_(capacity), noting_(noting) {}

  [[nodiscard]] std::uint32_t capacity() const { return capacity_; }
  [[nodiscard]] std::uint32_t taken() const { return static_cast<std::uint32_t>(seats_.size()); }
  [[nodiscard]] std::uint32_t occupied() const { return occupied_; }
  [[nodiscard]] bool was_entered() const { return arrivals_ > 0; }
  // Somebody has brought something, so the room is one of a pool.
  [[nodiscard]] bool was_brought_to() const { return brought_; }
  [[nodiscard]] const Seat* find(const PlayerId& player) const;
  [[nodiscard]] const std::map<PlayerId, Seat>& all() const { return seats_; }

  // The players of the claim who have no seat yet, each once.
  [[nodiscard]] std::vector<PlayerId> newcomers(const wire::Claim& claim) const;

  // REQUIRES: a free seat, or a player who has one.
  void reserve(const PlayerId& player, SeatReservation reservation);
  // The player, who has a seat, has brought this.
  void bring(const PlayerId& player, const std::string& brings);
  // REQUIRES: the player has a seat. Uses up its reservations.
  void occupy(const PlayerId& player);
  // For a player who has come without a seat. REQUIRES: a free seat.
  void occupy_anew(const PlayerId& player);
  // Returns the first of those who are in the game; null if nobody is.
  [[nodiscard]] const PlayerId* first_to_come() const;

  // Makes the seat what it was in another life of the room. REQUIRES: a free seat, and a player who
  // has none.
  void restore(const SeatRecord& seat);
  [[nodiscard]] SeatRecord record_of(RoomNumber room, const PlayerId& player) const;
  // Players whose seats have changed since the last call, some of them more than once.
  [[nodiscard]] std::vector<PlayerId> take_changed() { return std::exchange(changed_, {}); }

  // The player has left the game, and its seat is kept under this reservation, which takes the
  // place of all others and lasts no shorter than any of them. REQUIRES: it was in the game.
  void leave_for_a_while(const PlayerId& player, ReservationId reservation);

  // The ways in which a seat comes free; false: it stays, or was not there.
  [[nodiscard]] bool leave(const PlayerId& player);  // stays if it has been reserved since
  // Without a reservation all of the player's are given back.
  [[nodiscard]] bool give_back(const PlayerId& player, ReservationId reservation);
  // The master asked for these, after one and up to another.
  [[nodiscard]] bool give_back_of(const PlayerId& player, MasterId by, ReservationId after,
                                  ReservationId up_to);
  // All of the player's are given back but this one, if it has not ended.
  [[nodiscard]] bool give_back_others(const PlayerId& player, ReservationId kept);
  [[nodiscard]] bool lapse(const PlayerId& player, ReservationId reservation);

 private:
  // Forgets the seat if nobody sits on it and nobody wants it; true if so.
  bool drop_unwanted(std::map<PlayerId, Seat>::iterator seat);
  void note(const PlayerId& player) {
    if (noting_) changed_.push_back(player);
  }

  std::uint32_t capacity_;
  bool noting_;
  bool brought_ = false;
  std::uint32_t occupied_ = 0;
  std::uint64_t arrivals_ = 0;
  std::map<PlayerId, Seat> seats_;
  std::vector<PlayerId> changed_;
};

// A seat that was taken or came free since the masters were last told.
struct SeatNews {
  PlayerId player;
  bool seated = false;
  MasterId told;  // the master whose reply says so already; number 0: nobody
  std::uint32_t order = 0;
};

// A master that was sent the whole room, as it was before the seat news number `order`.
struct Shown {
  MasterId master;
  std::uint32_t order = 0;
  bool outdated = false;  // it was renewed since
};

// The masters have not been told these yet; see news.hpp.
struct RoomNews {
  bool pending = false;  // it is on the list of rooms with news
  bool born = false;     // made since the masters were last told
  bool renewed = false;  // told of as a whole: a group was given it, or its place is known now
  bool changed = false;  // its phase, its number of occupied seats, or whether that is known
  std::vector<SeatNews> seats;
  std::vector<Shown> shown;
};

struct Room {
  RoomNumber number;
  GroupKey group;
  ModeName mode;
  std::optional<wire::RoomPlace> place{};  // of a room that has been open there is one
  CreationId creation;
  Seats seats;
  RoomLife life;
  std::optional<TimePoint> started_at;  // by this run of the worker
  wire::WorkerTime opened_at{};         // 0 while it is starting
  // The game is asked how many play (SeatRule::counted), and this is what it said; none if nobody
  // knows. What is unknown is no reason to give a seat to another player, nor to close the room.
  bool is_asked = false;
  std::optional<bool> connected{};          // somebody, when its game was looked at last
  std::optional<TimePoint> nobody_since{};  // looks have seen nobody
  std::string why_not_ready{};              // shortened; empty: nobody has said
  std::optional<std::uint32_t> counted;
  // Whose time to come was over while nobody knew whether they had come: they keep their seats.
  std::vector<std::pair<PlayerId, ReservationId>> overdue;
  // Somebody may have been in it of whom no seat tells: a seat had its time, or the room is one of
  // an earlier run.
  bool may_have_been_entered = false;
  // It was started by these rules of its mode; null if they have not changed since.
  std::shared_ptr<const ModeOptions> older_rules;
  RoomNews news;
  bool seats_changed = false;  // since the last batch ended, as far as records go
  // The seats that are known may be incomplete: it takes no new players, and whoever comes is let
  // in as long as there is a seat.
  bool uncertain = false;

  [[nodiscard]] wire::RoomPhase phase() const { return life.phase(); }
  [[nodiscard]] bool closed() const { return phase() == wire::RoomPhase::closed; }
  [[nodiscard]] bool takes_players() const { return life.takes_players(); }
  [[nodiscard]] bool unknown() const {
    return is_asked && !counted && !closed() && phase() != wire::RoomPhase::starting;
  }
  [[nodiscard]] bool nobody_came() const { return !seats.was_entered() && !may_have_been_entered; }
};

// To what a master takes of a reason, and never within a character of UTF-8.
[[nodiscard]] std::string shortened(std::string text);

[[nodiscard]] wire::RoomInfo info_of(const Room& room);

}  // namespace fixkeep::worker
