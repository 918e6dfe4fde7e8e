#include "worker/core/room_host.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "worker/core/player_count.hpp"
#include "worker/core/room_host_internals.hpp"

namespace fixkeep::worker {

namespace {

constexpr std::size_t most_overdue = 4;  // reservations a seat that wait for a count

}  // namespace

RoomHost::RoomHost(RoomHostOptions options, TimePoint now)
    : impl_(new Impl(std::move(options), now)) {}
RoomHost::~RoomHost() = default;
RoomHost::RoomHost(RoomHost&&) noexcept = default;
RoomHost& RoomHost::operator=(RoomHost&&) noexcept = default;

void RoomHost::step(Event&& event, TimePoint now, Actions& out) {
  impl_->now = std::max(impl_->now, now - impl_->slept);
  impl_->out = &out;
  std::visit([this](auto& which) { impl_->on(std::move(which)); }, event);
  impl_->out = nullptr;
}

events::Happenings RoomHost::take_events() {
  return std::exchange(impl_->happenings, {});
}

TimePoint RoomHost::next_tick() const {
  const auto& self = *impl_;
  TimePoint next = std::min(self.promises.next_tick(), self.creations.next_tick());
  next = std::min({next, self.health.next_tick(), self.boot_backoff.next_tick()});
  if (!self.timers.empty()) next = std::min(next, self.timers.begin()->first);
  for (const auto& [length, queue] : self.expiries) {
    if (!queue.empty()) next = std::min(next, queue.front().at);
  }
  if (!self.lapsing.empty()) next = std::min(next, self.lapsing.front().at);
  return next == TimePoint::max() ? next : next + self.slept;
}

// The delay ends with the next tick, however late that is: a worker that is always late must get
// on.
void RoomHost::held_up(Duration late) {
  impl_->slept += late;
  impl_->was_late = true;
  if (!std::exchange(impl_->has_heard, true)) impl_->slept += impl_->options.hears_first;
}

std::vector<wire::RoomInfo> RoomHost::rooms() const {
  std::vector<wire::RoomInfo> result;
  for (const auto& [number, room] : impl_->rooms) {
    if (!room.closed()) result.push_back(info_of(room));
  }
  return result;
}

std::uint32_t RoomHost::headroom() const {
  return impl_->headroom();
}

wire::StartQueue RoomHost::start_queue() const {
  return impl_->outlook().starts;
}

FencingToken RoomHost::promised(const GroupKey& group) const {
  return impl_->promises.highest(group);
}

const RoomHostCounters& RoomHost::counters() const {
  return impl_->counters;
}

const ClosedRooms& RoomHost::closed_rooms() const {
  return impl_->closed_rooms;
}

const BootTimes& RoomHost::boot_times() const {
  return impl_->boots;
}

RoomHost::Impl::Impl(RoomHostOptions chosen, TimePoint since)
    : options(std::move(chosen)),
      started(since),
      promises(options.promise_memory),
      creations(options.promise_memory),
      health(options.health_period * options.health_failures),
      boot_backoff(options.boot_backoff) {
  if (options.keep_records) promises.note_changes();
  measure_modes();
}

// --- small helpers -------------------------------------------------------------------------------

const ModeOptions* RoomHost::Impl::mode_of(const ModeName& name) const {
  const auto found = std::find_if(options.modes.begin(), options.modes.end(),
                                  [&](const ModeOptions& mode) { return mode.name == name; });
  return found == options.modes.end() ? nullptr : &*found;
}

Room* RoomHost::Impl::find(RoomNumber number) {
  const auto found = rooms.find(number);
  return found == rooms.end() ? nullptr : &found->second;
}

std::uint32_t RoomHost::Impl::headroom() const {
  if (stopping || draining) return 0;
  const std::uint32_t limit = options.room_limit;
  std::uint32_t room = processes < limit ? limit - processes : 0;
  // Headroom is counted in rooms of the largest mode: it is a smaller promise, and one that is
  // kept.
  room = std::min({room, places_left(), pace.room()});
  if (options.memory_mib == 0 || largest_mib == 0) return room;
  const std::uint32_t free_mib =
      used_mib < options.memory_mib ? static_cast<std::uint32_t>(options.memory_mib - used_mib) : 0;
  return std::min(room, free_mib / largest_mib);
}

// Rooms that are ordered take places before they have one.
std::uint32_t RoomHost::Impl::places_left() const {
  if (!places) return std::numeric_limits<std::uint32_t>::max();
  return *places - std::min(*places, newest - placed);
}

bool RoomHost::Impl::has_capacity_for(const ModeOptions& mode) const {
  if (stopping || draining || processes >= options.room_limit) return false;
  if (places_left() == 0) return false;
  return options.memory_mib == 0 || used_mib + mode.memory_mib <= options.memory_mib;
}

Outlook RoomHost::Impl::outlook() const {
  return {.headroom = headroom(),
          .newest_room = RoomNumber{newest},
          .starts = {pace.queued(), pace.per_minute()}};
}

// The epoch of our clock is a whole second below its first reading: 0 means that nothing happened.
wire::WorkerTime RoomHost::Impl::worker_time() const {
  return std::chrono::duration_cast<wire::WorkerTime>(now - started) + std::chrono::seconds{1};
}

void RoomHost::Impl::send(MasterId master, wire::Report&& message) {
  out->emplace_back(SendToMaster{.master = master, .message = std::move(message)});
}

// --- the life of a room --------------------------------------------------------------------------

void RoomHost::Impl::enter_group(Room& room, const GroupKey& group, const CreationId& creation) {
  room.group = group;
  room.creation = creation;
  groups[group].insert(room.number);
  creations.add(group, creation, room.number);
}

void RoomHost::Impl::leave_group(Room& room) {
  creations.closed(room.group, room.creation, now);
  const auto of_group = groups.find(room.group);
  of_group->second.erase(room.number);
  if (of_group->second.empty()) groups.erase(of_group);
}

void RoomHost::Impl::lapse_what_is_over() {
  while (!lapsing.empty() && lapsing.front().at <= now) {
    const Expiry expiry = std::move(lapsing.front());
    lapsing.pop_front();
    lapse(expiry);
  }
  std::set<RoomNumber> looked_at;
  for (auto& [length, queue] : expiries) {
    for (; !queue.empty() && queue.front().at <= now; queue.pop_front()) {
      lapsing.push_back(std::move(queue.front()));
      lapsing.back().at = now + options.hears_first;
      Room* const room = find(lapsing.back().room);
      if (room == nullptr || room->closed()) continue;
      const bool only_looks = rules_of(*room).seats == SeatRule::until_exit;
      if (only_looks && looked_at.insert(room->number).second) look(*room);
    }
  }
}

void RoomHost::Impl::lapse(const Expiry& expiry) {
  Room* room = find(expiry.room);
  if (room == nullptr || room->closed()) return;
  const bool has_seat = room->seats.find(expiry.player) != nullptr;
  if (has_seat && room->unknown() && room->overdue.size() < most_overdue * room->seats.capacity()) {
    room->overdue.emplace_back(expiry.player, expiry.reservation);
    return;
  }
  const SeatRule rule = rules_of(*room).seats;
  const bool counted_in = room->counted && has_come(room->seats, *room->counted);
  const auto connected =
      rule == SeatRule::until_exit ? room->connected : std::optional<bool>{false};
  if (has_seat && (counted_in || connected == true)) {
    changing_seats(*room).occupy(expiry.player);
    news.changed(*room);
    return;
  }
  if (has_seat && !connected && !expiry.is_last) {
    room->may_have_been_entered = true;
    expiries[longest_untold_seat].push_back(
        {now + longest_untold_seat, expiry.room, expiry.player, expiry.reservation, true});
    return;
  }
  if (rule == SeatRule::for_a_time) room->may_have_been_entered = true;
  if (!changing_seats(*room).lapse(expiry.player, expiry.reservation)) return;
  ++counters.seats_lapsed;
  seat_freed(*room, expiry.player);
}

// --- time and the end ----------------------------------------------------------------------------

void RoomHost::Impl::on(StopAsked&&) {
  if (std::exchange(stopping, true)) return;
  for (auto& [number, room] : rooms) { live(room, life::Dismissed{wire::CloseReason::stopping}); }
  tell_if_stopped();
}

void RoomHost::Impl::tell_if_stopped() {
  if ((stopping || stops_when_empty) && processes == 0 && !std::exchange(stopped, true)) {
    out->emplace_back(StoppedEmpty{});
  }
}

void RoomHost::Impl::on(TimePassed&&) {
  if (!std::exchange(was_late, false)) has_heard = false;
  lapse_what_is_over();
  // Each is taken once: whoever looks at a game answers before the next tick.
  std::vector<RoomNumber> over;
  for (const auto& [at, number] : timers) {
    if (at > now) break;
    over.push_back(number);
  }
  for (const RoomNumber number : std::exchange(over, {})) {
    Room& room = *find(number);
    live(room, life::Due{is_occupied(room)});
  }
  while (const auto number = health.take_silent(now)) over.push_back(*number);
  for (const RoomNumber number : over) live(*find(number), life::Silent{});
  promises.forget_idle(now, [this](const GroupKey& group) { return groups.contains(group); });
  creations.forget_old(now);
  boot_backoff.tick(now);
}

void RoomHost::Impl::on(BatchEnded&&) {
  if (options.record_events) record_changes();
  if (options.keep_records) record_batch();
  tell_modes();
  news.tell(rooms, outlook(), *out);
  for (const RoomNumber number : gone) rooms.erase(number);
  gone.clear();
}

// A warm room is told of as a new one when it has a group: until then it is nobody's.
void RoomHost::Impl::record_changes() {
  for (const RoomNumber number : news.pending()) {
    const Room& room = rooms.at(number);
    if (wire::is_warm_pool(room.group)) continue;
    happenings.emplace_back(events::RoomChanged{
        RoomId{options.self, options.incarnation, number}, room.group, room.creation, room.phase(),
        room.seats.capacity(), room.seats.taken(), room.seats.occupied(), room.life.reason()});
  }
}

}  // namespace fixkeep::worker
