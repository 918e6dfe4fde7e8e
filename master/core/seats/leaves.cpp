#include "master/core/seats/leaves.hpp"

#include <utility>

namespace fixkeep::master {

void Leaves::send(const SeatsLeft& event, Step& step) const {
  const Worker* worker = directory_.find(event.room.worker);
  // False: the worker has no link, or another machine or run is connected under its name.
  const bool here =
      worker != nullptr && worker->known && worker->incarnation == event.room.incarnation;
  if (!here) return;
  wire::ReleaseSeats release{
      .room = event.room.number, .players = event.players, .reservation = {}};
  release.leaves_match = event.leaves_match;
  release.request = event.ticket.number();
  step.out.emplace_back(SendToWorker{event.room.worker, std::move(release)});
}

void Leaves::left(SeatsLeft&& event, Step& step) {
  send(event, step);
  const TicketId ticket = event.ticket;
  open_.emplace(ticket, Leave{std::move(event), step.now + patience});
}

void Leaves::released(const WorkerId& worker, std::uint64_t request, Step& step) {
  const auto found = open_.find(TicketId{request});
  if (found == open_.end() || found->second.event.room.worker != worker) return;
  step.out.emplace_back(SeatsGivenBack{found->first});
  open_.erase(found);
}

void Leaves::returned(const WorkerId& worker, Step& step) {
  for (const auto& [ticket, leave] : open_) {
    if (leave.event.room.worker == worker) send(leave.event, step);
  }
}

void Leaves::refuse(TimePoint now, Step& step) {
  while (!open_.empty() && open_.begin()->second.until <= now) {
    step.out.emplace_back(
        Refused{open_.begin()->first, Refusal::worker_away, std::chrono::seconds{1}, {}});
    open_.erase(open_.begin());
  }
}

TimePoint Leaves::next_tick() const {
  return open_.empty() ? TimePoint::max() : open_.begin()->second.until;
}

}  // namespace fixkeep::master
