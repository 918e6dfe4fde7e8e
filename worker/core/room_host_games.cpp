#include <algorithm>
#include <utility>

#include "common/base/assert.hpp"
#include "worker/core/player_count.hpp"
#include "worker/core/room_host_internals.hpp"

namespace fixkeep::worker {

using wire::CloseReason;
using wire::RoomPhase;

void RoomHost::Impl::on(RoomPlaced&& event) {
  Room* room = find(event.room);
  if (room == nullptr || room->closed() || room->place == event.place) return;
  if (!wire::is_valid(event.place)) return misplaced(*room, "its place is not valid");
  room->place = std::move(event.place);
  news.renewed(*room);
}

// Whoever runs the game is to blame, and not the game: no start is paused.
void RoomHost::Impl::misplaced(Room& room, std::string why) {
  const bool starting = room.phase == RoomPhase::starting;
  close(room, starting ? CloseReason::boot_failed : CloseReason::unhealthy);
  ask_to_end(room, std::move(why));
}

void RoomHost::Impl::on(PlacesChanged&& event) {
  places = event.places;
  placed = std::max(placed, std::min(newest, event.started.number()));
}

void RoomHost::Impl::on(ProcessBegun&& event) {
  Room* room = find(event.room);
  if (room == nullptr || !std::exchange(room->queued, false)) return;
  pace.begun(now);
  if (room->phase == RoomPhase::starting) begin_boot(*room);
}

void RoomHost::Impl::begin_boot(Room& room) {
  room.started_at = now;
  room.boot_by = now + rules_of(room).boot_timeout;
  if (!room.deadline) set_deadline(room, room.boot_by);  // else nobody wants it any more
}

void RoomHost::Impl::on(ProcessReady&& event) {
  Room* room = find(event.room);
  if (room == nullptr || room->phase != RoomPhase::starting) return;
  if (!room->place) return misplaced(*room, "it is ready, and nobody has said where");
  room->phase = RoomPhase::open;
  room->opened_at = worker_time();
  room->heard_out = false;
  if (room->started_at) boots[room->mode].ready.add(now - *room->started_at);
  if (room->older_rules == nullptr) boot_backoff.opened(room->mode, room->group, now);
  set_deadline(*room, std::nullopt);
  for (const auto& [player, seat] : room->seats.all()) {
    seat.reservations.each(
        [&, &guest = player](ReservationId reservation) { expect(*room, guest, reservation); });
  }
  news.changed(*room);
  watch_emptiness(*room);
}

void RoomHost::Impl::on(ProcessExited&& event) {
  Room* room = find(event.room);
  if (room == nullptr || room->process == ProcessPhase::gone) return;
  if (std::exchange(room->queued, false)) pace.given_up();
  if (room->phase == RoomPhase::starting && event.blameless) {
    close(*room, CloseReason::boot_failed);
  } else if (room->phase == RoomPhase::starting) {
    fail(*room, CloseReason::boot_failed, std::move(event.how));
  } else if (!room->closed() && nobody_has_seen(*room)) {
    fail(*room, CloseReason::crashed, "right after it was ready: " + event.how);
  } else if (!room->closed()) {
    close(*room, CloseReason::crashed);
  }
  set_deadline(*room, std::nullopt);
  room->process = ProcessPhase::gone;
  FIXKEEP_ASSERT(processes > 0, "no process was counted");
  --processes;
  used_mib -= rules_of(*room).memory_mib;
  gone.push_back(room->number);
  tell_if_stopped();
}

// A room that crashes so early fails by itself; later, or with players in it, that may be their
// doing, and must not keep others from rooms of their own.
bool RoomHost::Impl::nobody_has_seen(const Room& room) const {
  return !room.seats.was_entered() && worker_time() - room.opened_at < options.boot_backoff.lasting;
}

void RoomHost::Impl::on(GameHealthy&& event) {
  Room* room = find(event.room);
  if (room == nullptr || room->closed()) return;
  if (options.keep_records && !health.watches(room->number)) newly_watched.push_back(room->number);
  health.sign(room->number, now);
  room->heard_out = false;
}

void RoomHost::Impl::on(ShutdownAsked&& event) {
  Room* room = find(event.room);
  if (room == nullptr || room->closed()) return;
  if (room->phase == RoomPhase::starting) {
    fail(*room, CloseReason::boot_failed, "it asked to end before it was ready");
  } else {
    close(*room, CloseReason::shut_down);
  }
  ask_to_end(*room);
}

void RoomHost::Impl::on(PlayerArrived&& event) {
  Room* room = find(event.room);
  const bool admitted = room != nullptr && may_come(*room, event.player);
  out->emplace_back(AdmitPlayer{.question = event.question, .admitted = admitted});
  if (!admitted) {
    ++counters.players_turned_away;
    return;
  }
  ++counters.players_admitted;
  const Seat* seat = room->seats.find(event.player);
  if (seat == nullptr) news.seated(*room, event.player, {});
  const bool came_back = seat != nullptr && seat->occupied();  // on another connection
  changing_seats(*room).occupy_anew(event.player);
  if (!came_back) news.changed(*room);
}

bool RoomHost::Impl::may_come(const Room& room, const PlayerId& player) const {
  if (room.closed()) return false;
  if (room.seats.find(player) != nullptr) return true;
  return room.uncertain && room.seats.taken() < room.seats.capacity();
}

// A seat that was reserved again since its player came stays: the player has asked anew and will
// come back.
void RoomHost::Impl::on(PlayerLeft&& event) {
  Room* room = find(event.room);
  if (room == nullptr || room->closed()) return;
  const std::uint32_t occupied = room->seats.occupied();
  const bool freed = changing_seats(*room).leave(event.player);
  if (room->seats.occupied() != occupied) news.changed(*room);
  if (freed) seat_freed(*room, event.player);
}

void RoomHost::Impl::on(PlayersCounted&& event) {
  Room* room = find(event.room);
  const bool serving = room != nullptr && !room->closed() && room->phase != RoomPhase::starting;
  if (!serving || !room->is_asked) return;
  if (room->unknown()) news.changed(*room);
  room->counted = event.players;
  const std::uint32_t occupied = room->seats.occupied();
  const CountedSeats changes = apply_count(changing_seats(*room), event.players);
  for (const PlayerId& player : changes.taken) news.seated(*room, player, {});
  for (const PlayerId& player : changes.freed) news.left(*room, player);
  if (room->seats.occupied() != occupied) news.changed(*room);
  if (!changes.taken.empty() || !changes.freed.empty()) watch_emptiness(*room);
  for (auto& [player, reservation] : std::exchange(room->overdue, {})) {
    lapse({now, event.room, std::move(player), reservation});
  }
}

void RoomHost::Impl::on(PlayersUnknown&& event) {
  Room* room = find(event.room);
  if (room == nullptr || !std::exchange(room->counted, std::nullopt)) return;
  if (!room->closed()) news.changed(*room);
}

// It is given its grace: it may be able to save what its players have done.
void RoomHost::Impl::on(GameUnhealthy&& event) {
  Room* room = find(event.room);
  if (room == nullptr || room->closed() || room->phase == RoomPhase::starting) return;
  close(*room, CloseReason::unhealthy);
  ask_to_end(*room, std::move(event.why));
}

}  // namespace fixkeep::worker
