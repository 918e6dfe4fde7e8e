// One room as its worker keeps it: its seats, life and news.
//
// Invariants: 1. At most `capacity` seats are taken, by different players.
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
  std::uint64_t came = 0;  // place in the order of arrivals; 0: the player is not in the game
  [[nodiscard]] bool occupied() const { return came != 0; }

  Reservations reservations;  // the seat's; once it is occupied, only those made since then
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
  // A player has brought something: the room belongs to a pool.
  [[nodiscard]] bool was_brought_to() const { return brought_; }
  [[nodiscard]] const Seat* find(const PlayerId& player) const;
  [[nodiscard]] const std::map<PlayerId, Seat>& all() const { return seats_; }

  // The players of the claim without a seat, each once.
  [[nodiscard]] std::vector<PlayerId> newcomers(const wire::Claim& claim) const;

  // REQUIRES: a free seat, or the player has one.
  void reserve(const PlayerId& player, SeatReservation reservation);
  // Notes what a player with a seat has brought.
  void bring(const PlayerId& player, const std::string& brings);
  // REQUIRES: the player has a seat. Uses up its reservations.
  void occupy(const PlayerId& player);
  // Seats a player that has come without a seat. REQUIRES: a free seat.
  void occupy_anew(const PlayerId& player);
  // Returns the earliest arrival among the players in the game or null.
  [[nodiscard]] const PlayerId* first_to_come() const;

  // Restores a seat from another life of the room. REQUIRES: a free seat; the player has none.
  void restore(const SeatRecord& seat);
  [[nodiscard]] SeatRecord record_of(RoomNumber room, const PlayerId& player) const;
  // Players whose seats have changed since the last call, some of them more than once.
  [[nodiscard]] std::vector<PlayerId> take_changed() { return std::exchange(changed_, {}); }

  // The player has left the game. Its seat is kept under this reservation. It replaces all others
  // and lasts at least as long. REQUIRES: the player was in the game.
  void leave_for_a_while(const PlayerId& player, ReservationId reservation);

  // The ways in which a seat comes free; false: it stays, or was not there.
  [[nodiscard]] bool leave(const PlayerId& player);  // stays if it has been reserved since
  // Without a reservation it gives back all of the player's.
  [[nodiscard]] bool give_back(const PlayerId& player, ReservationId reservation);
  // Gives back the master's reservations after one and up to another.
  [[nodiscard]] bool give_back_of(const PlayerId& player, MasterId by, ReservationId after,
                                  ReservationId up_to);
  // Gives back all of the player's reservations except this one if it has not ended.
  [[nodiscard]] bool give_back_others(const PlayerId& player, ReservationId kept);
  [[nodiscard]] bool lapse(const PlayerId& player, ReservationId reservation);

 private:
  // Forgets the seat if it is neither occupied nor reserved; true if so.
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

// A seat that was taken or came free since the masters were told.
struct SeatNews {
  PlayerId player;
  bool seated = false;
  MasterId told;  // the master whose reply says so already; number 0: no master
  std::uint32_t order = 0;
};

// A master that was sent the whole room before the seat news number `order`.
struct Shown {
  MasterId master;
  std::uint32_t order = 0;
  bool outdated = false;  // it was renewed since
};

// The masters have not been told these yet; see news.hpp.
struct RoomNews {
  bool pending = false;  // it is on the list of rooms with news
  bool born = false;     // made since the masters were last told
  bool renewed = false;  // told as a whole: it has a group or a place now
  bool changed = false;  // phase, number of occupied seats, or whether that is known
  std::vector<SeatNews> seats;
  std::vector<Shown> shown;
};

struct Room {
  RoomNumber number;
  GroupKey group;
  ModeName mode;
  std::optional<wire::RoomPlace> place{};  // always there once the room has been open
  CreationId creation;
  Seats seats;
  RoomLife life;
  std::optional<TimePoint> started_at;  // start by this run of the worker
  wire::WorkerTime opened_at{};         // 0 while it is starting
  // The game is asked for its number of players (SeatRule::counted). `counted` is the answer.
  // Nullopt: not known. An unknown number neither gives a seat to another player nor closes the
  // room.
  bool is_asked = false;
  std::optional<bool> connected{};          // a player was connected at the last look
  std::optional<TimePoint> nobody_since{};  // first of the looks that saw no player
  std::string why_not_ready{};              // shortened; empty: no reason was given
  std::optional<std::uint32_t> counted;
  // Players whose time to come ended while it was unknown whether they had come: they keep their
  // seats.
  std::vector<std::pair<PlayerId, ReservationId>> overdue;
  // A player without a known seat may have been in it: a seat had its time, or the room is one of
  // an earlier run.
  bool may_have_been_entered = false;
  // The rules of its mode when it started; null if they have not changed.
  std::shared_ptr<const ModeOptions> older_rules;
  RoomNews news;
  bool seats_changed = false;  // a change for records since the last batch ended
  // The known seats may be incomplete: the room takes no new players, but admits arrivals while it
  // has a free seat.
  bool uncertain = false;

  [[nodiscard]] wire::RoomPhase phase() const { return life.phase(); }
  [[nodiscard]] bool closed() const { return phase() == wire::RoomPhase::closed; }
  [[nodiscard]] bool takes_players() const { return life.takes_players(); }
  [[nodiscard]] bool unknown() const {
    return is_asked && !counted && !closed() && phase() != wire::RoomPhase::starting;
  }
  [[nodiscard]] bool nobody_came() const { return !seats.was_entered() && !may_have_been_entered; }
};

// Cuts a reason to the length that masters accept between characters of UTF-8.
[[nodiscard]] std::string shortened(std::string text);

[[nodiscard]] wire::RoomInfo info_of(const Room& room);

}  // namespace fixkeep::worker
