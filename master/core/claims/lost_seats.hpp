// Seats that a worker may have reserved for claims of this master, out of the master's sight: the
// link broke before the answer came or while the room was starting.
//
// A claim waits for this worker for a while (orders/out_of_sight.hpp). When the worker is back, its
// state shows the seats. Waiting players take them. The others will not come: their requests were
// seated elsewhere, refused or given up. Their seats would stay empty until the reservations end.
// This master gives a seat back
//
//   at once        if no claim of its player waits for the room;
//   `second_look`  later, if one does or the seat is for a claim of another master (in a pool).
//                  Until then that claim has asked for the seat again. Its newer reservation stays.
//
// The lost answer had the number of the reservation. The master therefore names a range of its own
// reservations. It begins after the last one heard of and ends with the last one of the worker's
// state (wire::ReleaseSeats::own_up_to). Reservations of other masters stay. Answered and later
// ones stay too.
//
// A worker does not answer ReleaseSeats. The message may be lost with its link too. Every returned
// seat goes through here for that reason. It is given back once more if the link breaks within
// `may_be_lost`.
//
// Assumes: no message of an older link arrives after the state. Thread rule: one owner.
// Bounds: most_players; `kept` for each worker. Beyond them seats end with their reservations.
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
  // A reservation lasts no longer, including the boot of its room.
  static constexpr Duration kept = std::chrono::minutes{15};
  // Longer than any link is silent before it breaks.
  static constexpr Duration may_be_lost = std::chrono::seconds{30};
  static constexpr std::size_t most_players = 100'000;

  // All outlive the object.
  LostSeats(Directory& directory, const Claims& claims) : directory_(directory), claims_(claims) {}

  // --- the link to the worker has broken. REQUIRES: the directory still has its rooms.
  void lost(const SeatQuestion& question, TimePoint now);
  void lost(const QuestionAbout<OrderQuestion>& question, TimePoint now);
  // The claim has this reservation in the room.
  void lost(const RoomId& room, std::vector<PlayerId>&& players, ReservationId reservation,
            TimePoint now);
  void link_broke(const WorkerId& worker);

  // Gives back the players' seats of this reservation, later if the worker is out of sight.
  void give_back(const RoomId& room, std::vector<PlayerId>&& players, ReservationId reservation,
                 Step& step);

  // The worker is back: the directory has its state, and waiting claims are placed.
  void returned(const WorkerId& worker, ReservationId last, Step& step);
  void time_passed(Step& step);
  [[nodiscard]] TimePoint next_tick() const;  // TimePoint::max() if there is nothing

 private:
  struct Seats {
    RoomId room;  // its number is 0 if only its order is known
    // By these it is found again: its number may be another room's when the worker is back.
    GroupKey group{};
    CreationId creation{};
    std::vector<PlayerId> players;
    ReservationId reservation{};  // its default: unknown
    bool of_pool = false;
    ReservationId after{};
    ReservationId told_last{};  // last one told by the returned worker, or by its namesake
    ReservationId up_to{};      // set when the room is seen again
    TimePoint until{};
  };
  // `question`: a SeatQuestion or an OrderQuestion.
  template <class About>
  [[nodiscard]] std::vector<PlayerId> players_in(const About& question) const;
  void add(Seats&& seats, TimePoint now);
  void note_room(Seats& seats) const;
  [[nodiscard]] const Room* room_of(const Seats& seats) const;
  // A claim of the player waits for the room, or may wait for it.
  [[nodiscard]] bool is_wanted(const Room& room, const PlayerId& player) const;
  // Gives back unwanted seats; returns players to be looked at again.
  [[nodiscard]] std::vector<PlayerId> give_back(Seats& seats, bool second, Step& step);
  void keep(Seats&& seats);  // waits until its worker is back
  void send(const RoomId& room, Seats&& seats, Step& step);

  Directory& directory_;
  const Claims& claims_;
  std::map<WorkerId, std::vector<Seats>> away_;
  std::multimap<TimePoint, Seats> returned_;      // seats at workers that are back
  std::deque<std::pair<TimePoint, Seats>> sent_;  // releases, the oldest first
  std::size_t players_ = 0;
};

}  // namespace fixkeep::master
