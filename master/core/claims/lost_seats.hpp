// Seats that a worker may have reserved for this master without the master's knowledge. The link
// broke before the answer arrived, or while the room was starting.
//
// A claim waits for this worker for a while (orders/out_of_sight.hpp). When the worker is back, its
// state shows the seats. Players that still wait get these seats. Other players will never connect:
// their requests were seated elsewhere, refused or cancelled. Without this class, the seats of
// these players stay empty until the reservations end. This master gives a seat back
//
//   immediately          if no claim of its player waits for the room;
//   after `second_look`  if such a claim waits, or if the seat is for a claim of another master
//                        (in a pool). By then the claim has asked for the seat again. Its newer
//                        reservation remains.
//
// The number of the reservation was in the lost answer. The master therefore releases a range of
// its own reservations. The range begins after the last reservation that the master knew. The range
// ends with the last reservation in the worker's state (wire::ReleaseSeats::own_up_to). Answered
// reservations, later reservations and the reservations of other masters remain.
//
// The worker does not answer these releases. If the link breaks, a release may be lost, too.
// Therefore this class repeats a release if the link breaks within `may_be_lost`. Players who leave
// wait for the worker's answer (seats/leaves.hpp).
//
// Assumes: after a worker's state, no message of an older link arrives. Thread rule: one owner.
// Bounds: at most `most_players` players, each seat for at most `kept`. A seat beyond these bounds
// is free when its reservation ends.
// Errors: none.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "common/wire/messages.hpp"
#include "master/core/claims/claims.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/groups/questions.hpp"
#include "master/core/seam/step.hpp"

namespace fixkeep::master {

class LostSeats {
 public:
  static constexpr Duration second_look = std::chrono::seconds{1};
  // Seats are stored for the longest time of a reservation, including the boot of its room.
  static constexpr Duration kept = std::chrono::minutes{15};
  // A message that was sent longer before the break of its link has arrived, because any link
  // breaks after a shorter silence.
  static constexpr Duration may_be_lost = std::chrono::seconds{30};
  static constexpr std::size_t most_players = 100'000;

  // The arguments outlive the object.
  LostSeats(Directory& directory, const Claims& claims) : directory_(directory), claims_(claims) {}

  // --- the link to the worker has broken. REQUIRES: the directory still contains the worker's
  // rooms.
  void lost(const SeatQuestion& question, TimePoint now);
  void lost(const QuestionAbout<OrderQuestion>& question, TimePoint now);
  // Notes the players' seats in this reservation.
  void lost(const RoomId& room, std::vector<PlayerId>&& players, ReservationId reservation,
            TimePoint now);
  void link_broke(const WorkerId& worker);

  // Gives back the players' seats in this reservation. If the worker is out of sight, stores these
  // seats until the worker is back.
  void give_back(const RoomId& room, std::vector<PlayerId>&& players, ReservationId reservation,
                 Step& step);

  // Call after the worker has come back. REQUIRES: the directory contains the worker's state; the
  // waiting claims were placed again.
  void returned(const WorkerId& worker, ReservationId last, Step& step);
  void time_passed(Step& step);
  [[nodiscard]] TimePoint next_tick() const;  // max(): no tick is needed

 private:
  struct Seats {
    RoomId room;  // room number 0: only the order for the room is known
    // Group and creation id identify the room: a worker's next run may use its number again.
    GroupKey group{};
    CreationId creation{};
    std::vector<PlayerId> players;
    ReservationId reservation{};  // default value: unknown
    bool of_pool = false;
    ReservationId after{};
    ReservationId told_last{};  // last reservation in the state of the returned worker
    ReservationId up_to{};      // last reservation to release; set when the room is known again
    TimePoint until{};
  };
  // `question`: a SeatQuestion or an OrderQuestion.
  template <class About>
  [[nodiscard]] std::vector<PlayerId> players_in(const About& question) const;
  void add(Seats&& seats, TimePoint now);
  void note_room(Seats& seats) const;
  [[nodiscard]] const Room* room_of(const Seats& seats) const;
  // Returns whether a claim of the player waits for the room or is lent to the holder of its pool.
  [[nodiscard]] bool is_wanted(const Room& room, const PlayerId& player) const;
  // Gives back unwanted seats; returns the players to check again later.
  [[nodiscard]] std::vector<PlayerId> give_back(Seats& seats, bool second, Step& step);
  void keep(Seats&& seats);  // stores the seats until the worker is back
  void send(const RoomId& room, Seats&& seats, Step& step);

  Directory& directory_;
  const Claims& claims_;
  std::map<WorkerId, std::vector<Seats>> away_;
  std::multimap<TimePoint, Seats> returned_;      // key: time of the second look
  std::deque<std::pair<TimePoint, Seats>> sent_;  // sent releases, oldest first
  std::size_t players_ = 0;
};

}  // namespace fixkeep::master
