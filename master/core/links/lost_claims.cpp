// Handles claims with seats or questions at a worker that goes out of sight or comes back.
#include <utility>
#include <variant>

#include "master/core/links/worker_links.hpp"
#include "master/core/seam/each_player.hpp"

namespace fixkeep::master {

void WorkerLinks::note_lost_seats(const WorkerId& worker, const std::vector<Question>& unanswered,
                                  Step& step) {
  parts_.lost_seats.link_broke(worker);
  const auto lose = [&](ClaimNumber number, const RoomId& room) {
    const Waiting& waiting = parts_.claims.at(number);
    const ReservationId reservation = waiting.seats->reserved.id;
    if (reservation == ReservationId{}) return;
    parts_.lost_seats.lost(room, players_of(waiting.claim), reservation, step.now);
  };
  for (const Question& question : unanswered) {
    if (const auto* seats = std::get_if<SeatQuestion>(&question.about)) {
      parts_.lost_seats.lost(*seats, step.now);
      // A claim in a SeatRequest may already have seats in the room, and ask for them again
      // (Seating::answer). These seats are lost, too.
      for (const ClaimNumber number : seats->claims) lose(number, seats->room);
    } else if (const auto* order = std::get_if<OrderQuestion>(&question.about)) {
      parts_.lost_seats.lost({question.group, worker, *order}, step.now);
    }
  }
  for (const ClaimNumber number : parts_.claims.reserved_on(worker)) {
    lose(number, parts_.claims.at(number).where->room);
  }
}

void WorkerLinks::look_again(const OutOfSight::Freed& freed, Step& step) {
  for (const GroupKey& group : freed.groups) parts_.groups.mark(group);
  for (const auto& [worker, number] : freed.claims) {
    const Waiting* waiting = parts_.claims.find(number);
    if (waiting == nullptr || waiting->where->place != ClaimPlace::unseen) continue;
    if (waiting->where->room.worker == worker) parts_.seating.place(number, step);
  }
}

void WorkerLinks::lost(ClaimNumber number, const WorkerId& worker, Step& step) {
  if (!parts_.seating.goes_on(number, step)) return;
  if (parts_.out_of_sight.waits_for(worker)) {
    parts_.out_of_sight.add(worker, number);
    parts_.claims.wait_for_sight(number, worker);
  } else {
    parts_.seating.place(number, step);
  }
}

}  // namespace fixkeep::master
