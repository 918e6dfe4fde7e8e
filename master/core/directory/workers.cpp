// Updates the directory's workers: after changes of their links, and from their messages about
// themselves.
#include "common/base/assert.hpp"
#include "master/core/directory/directory.hpp"

namespace fixkeep::master {

void Directory::connect(const WorkerId& worker, Incarnation incarnation) {
  FIXKEEP_ASSERT(!workers_.contains(worker), worker.text());
  Worker& made = workers_[worker];
  made.id = worker;
  made.incarnation = incarnation;
  runs_.connected(worker, incarnation);
  ++unknown_;
  made.link = ++links_generation_;
  note(worker);
}

void Directory::disconnect(const WorkerId& worker) {
  const auto at = workers_.find(worker);
  if (at == workers_.end()) return;
  for (auto& [number, room] : at->second.rooms) {
    leave(room);
    unseat_all(room);
  }
  if (!at->second.known) --unknown_;
  workers_.erase(at);
  ++links_generation_;
  note(worker);
}

void Directory::set_probation(const WorkerId& worker, bool on_probation) {
  if (Worker* known = worker_of(worker)) known->on_probation = on_probation;
}

void Directory::set_behind(const WorkerId& worker, bool behind) {
  Worker* known = worker_of(worker);
  if (known == nullptr || known->behind == behind) return;
  known->behind = behind;
  if (!behind) ++capacity_generation_;
  note(worker);
}

void Directory::set_without_orders(const WorkerId& worker, const ModeName& mode, bool without) {
  Worker* known = worker_of(worker);
  if (known == nullptr || known->without_orders.contains(mode) == without) return;
  if (without) {
    known->without_orders.insert(mode);
  } else {
    known->without_orders.erase(mode);
    ++capacity_generation_;
  }
  note(worker);
}

void Directory::note_newest(const WorkerId& worker, ReservationId newest) {
  Worker* known = worker_of(worker);
  if (known != nullptr) known->last_reservation = std::max(known->last_reservation, newest);
}

void Directory::introduce(const WorkerId& worker, const wire::WorkerState& state) {
  Worker* known = worker_of(worker);
  if (known == nullptr) return;
  if (!known->known) --unknown_;
  known->known = true;
  known->zone = state.zone;
  known->address = state.address;
  known->ping_port = state.ping_port;
  known->seat_root = state.seat_root;
  known->room_limit = state.room_limit;
  known->keeps_matches = state.keeps_matches;
  known->headroom = state.headroom;
  known->start_queue = state.starts;
  known->newest_room = state.newest_room;
  set_modes(worker, state.modes);
  ++capacity_generation_;
  note(worker);
}

void Directory::set_modes(const WorkerId& worker, const wire::WorkerModes& modes) {
  Worker* known = worker_of(worker);
  if (known == nullptr) return;
  known->modes = {modes.known.begin(), modes.known.end()};
  known->paused.clear();
  known->slow.clear();
  std::erase_if(known->last_failure,
                [&](const auto& failure) { return !known->modes.contains(failure.first); });
  for (const wire::PausedMode& pause : modes.paused) {
    const bool is_slow = pause.cause == wire::PauseCause::slow;
    (is_slow ? known->slow : known->paused).emplace(pause.mode, pause);
    if (pause.cause != wire::PauseCause::drained) known->last_failure[pause.mode] = pause.reason;
  }
  // Wakes groups, because the worker may start another mode now. A group that still cannot have a
  // room sleeps again.
  ++capacity_generation_;
  note(worker);
}

void Directory::set_headroom(const WorkerId& worker, std::uint32_t headroom) {
  Worker* known = worker_of(worker);
  if (known == nullptr) return;
  if (headroom == known->headroom) return;
  if (headroom > known->headroom) ++capacity_generation_;
  known->headroom = headroom;
  note(worker);
}

void Directory::set_starts(const WorkerId& worker, const wire::StartQueue& starts) {
  Worker* known = worker_of(worker);
  if (known == nullptr || known->start_queue == starts) return;
  known->start_queue = starts;
  note(worker);
}

std::optional<Duration> Directory::start_wait(std::size_t rooms) const {
  std::uint64_t queued = rooms;
  std::uint64_t per_minute = 0;
  for (const auto& [id, worker] : workers_) {
    if (worker.start_queue.queued == 0) continue;
    queued += worker.start_queue.queued;
    per_minute += worker.start_queue.per_minute;
  }
  if (per_minute == 0) return std::nullopt;
  return Duration{std::chrono::minutes{1}} * queued / per_minute;
}

void Directory::order_begins(const WorkerId& worker, const ClientAddress& client, bool only_warm) {
  count(client);
  Worker* known = worker_of(worker);
  if (known != nullptr) ++(only_warm ? known->warm_ordered : known->ordered);
}

void Directory::order_ends(const WorkerId& worker, const ClientAddress& client, bool only_warm) {
  uncount(client);
  Worker* known = worker_of(worker);
  if (known == nullptr) return;
  std::uint32_t& orders = only_warm ? known->warm_ordered : known->ordered;
  if (orders > 0) --orders;
}

void Directory::set_newest_room(const WorkerId& worker, RoomNumber newest) {
  Worker* known = worker_of(worker);
  if (known == nullptr || newest <= known->newest_room) return;
  known->newest_room = newest;
  note(worker);
}

void Directory::forget_mode(const WorkerId& worker, const ModeName& mode) {
  Worker* known = worker_of(worker);
  if (known != nullptr && known->modes.erase(mode) > 0) note(worker);
}

}  // namespace fixkeep::master
