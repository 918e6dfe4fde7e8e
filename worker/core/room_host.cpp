#include "worker/core/room_host.hpp"

#include <algorithm>
#include <set>

#include "worker/core/newcomer_times.hpp"
#include "worker/core/player_count.hpp"
#include "worker/core/room_host_internals.hpp"

namespace fixkeep::worker {

namespace {

constexpr std::size_t most_overdue = 4;  // limit of overdue reservations per seat

}  // namespace

RoomHost::RoomHost(RoomHostOptions options, TimePoint now)
    : impl_(new Impl(std::move(options), now)) {}
RoomHost::~RoomHost() = default;
RoomHost::RoomHost(RoomHost&&) noexcept = default;
RoomHost& RoomHost::operator=(RoomHost&&) noexcept = default;

void RoomHost::step(Event&& event, TimePoint now, Actions& out) {
  impl_->clock.advance(now);
  impl_->now = impl_->clock.now();
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
  next = std::min({next, self.ended_matches.next_tick(), self.results.next_tick()});
  next = std::min({next, self.health.next_tick(), self.boot_backoff.next_tick()});
  if (!self.timers.empty()) next = std::min(next, self.timers.begin()->first);
  if (self.waits_until) next = std::min(next, *self.waits_until);
  if (!self.boots_seen_at.empty()) next = std::min(next, self.boots_seen_at.begin()->first);
  if (!self.players_seen_at.empty()) next = std::min(next, self.players_seen_at.begin()->first);
  next = std::min({next, self.mode_troubles.next_tick(), self.newcomer_times.next_tick()});
  return self.clock.outside(std::min(next, self.seat_deadlines.next_tick()));
}

void RoomHost::held_up(Duration late) {
  impl_->clock.held_up(late);
}

std::vector<wire::RoomInfo> RoomHost::rooms() const {
  std::vector<wire::RoomInfo> result;
  result.reserve(impl_->rooms.size());
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
      clock(since, options.hears_first),
      capacity(options.room_limit, options.memory_mib),
      promises(options.promise_memory),
      creations(options.promise_memory),
      health(options.health_period * options.health_failures),
      boot_backoff(options.boot_backoff),
      records(options.keep_records),
      seat_deadlines(options.hears_first) {
  if (records.keeps()) promises.note_changes();
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
  return drains.takes_rooms() ? capacity.headroom() : 0;
}

Outlook RoomHost::Impl::outlook() const {
  return {.headroom = headroom(),
          .newest_room = capacity.newest(),
          .starts = {capacity.pace().queued(), capacity.pace().per_minute()}};
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
  while (const auto lapsed = seat_deadlines.take_lapsed(now)) lapse(*lapsed);
  std::set<RoomNumber> looked_at;
  while (const auto number = seat_deadlines.take_over(now)) {
    Room* const room = find(*number);
    if (room == nullptr || room->closed()) continue;
    const bool only_looks = rules_of(*room).seats == SeatRule::until_exit;
    if (only_looks && looked_at.insert(*number).second) look(*room);
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
    seat_deadlines.expect({expiry.room, expiry.player, expiry.reservation, true},
                          longest_untold_seat, now);
    return;
  }
  if (rule == SeatRule::for_a_time) room->may_have_been_entered = true;
  if (!changing_seats(*room).lapse(expiry.player, expiry.reservation)) return;
  ++counters.seats_lapsed;
  seat_freed(*room, expiry.player);
}

// --- time and the end ----------------------------------------------------------------------------

void RoomHost::Impl::on(StopAsked&&) {
  if (!drains.end()) return;
  for (auto& [number, room] : rooms) { live(room, life::Dismissed{wire::CloseReason::stopping}); }
  wait_no_longer_than(Duration{0});
  tell_if_stopped();
}

// Limits how long a stopping worker waits for its games. The worker asks the games to end, and
// kills them after their grace. But an engine may hang or never report a game's end, and a process
// may wait for a lost disk.
void RoomHost::Impl::wait_no_longer_than(Duration until_they_are_asked) {
  Duration grace{};
  for (const auto& [number, room] : rooms) grace = std::max(grace, rules_of(room).stop_grace);
  const TimePoint until = now + until_they_are_asked + grace + options.last_wait;
  waits_until = waits_until ? std::min(*waits_until, until) : until;
}

void RoomHost::Impl::tell_if_stopped() {
  const bool is_over = waits_until && *waits_until <= now;
  if (is_over) waits_until.reset();
  const auto left = capacity.processes();
  if (drains.has_ended(left == 0 || is_over)) out->emplace_back(StoppedEmpty{left});
}

void RoomHost::Impl::on(TimePassed&&) {
  clock.ticked();
  lapse_what_is_over();
  // Collects the due timers first. If an event below sets a timer anew, this timer is thus not
  // handled in the same tick. It may wait for the answer to LookAtGame, which the driver sends only
  // between ticks.
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
  ended_matches.forget_old(now);
  results.forget_old(now);
  boot_backoff.tick(now);
  look_at_boots();
  look_at_players();
  while (const auto number = newcomer_times.take_over(now)) {
    const Room* const room = find(*number);
    const bool decided = room == nullptr || room->admission.word != NewcomersWord::none;
    if (!decided) on(NewcomersDecided{*number, NewcomersWord::closed});
  }
  mode_troubles.tick(now);
  tell_if_stopped();
}

void RoomHost::Impl::on(BatchEnded&&) {
  // If a mode's rules choose the players, the game learns which players have joined or left.
  for (const RoomNumber number : std::exchange(seats_changed, {})) {
    const auto at = rooms.find(number);
    if (at == rooms.end() || !at->second.seats.take_lineup_changed()) continue;
    const Room& room = at->second;
    if (room.closed()) continue;
    out->emplace_back(
        TellMatch{number, room.group, {.told = room.group, .players = room.seats.lineup()}});
  }
  tell_news();
  for (const RoomNumber number : gone) rooms.erase(number);
  gone.clear();
}

// Stores the changed rooms for take_events(). Skips warm rooms: they have no players. A warm room
// is reported as new when it gets a group.
void RoomHost::Impl::record_changes() {
  for (const RoomNumber number : news.pending()) {
    const Room& room = rooms.at(number);
    if (wire::is_warm_pool(room.group)) continue;
    events::RoomChanged told{RoomId{options.self, options.incarnation, number},
                             room.group,
                             room.creation,
                             room.phase(),
                             room.seats.capacity(),
                             room.seats.taken(),
                             room.seats.occupied(),
                             room.life.reason()};
    if (room.seats.was_brought_to()) {
      std::set<PlayerId> players;
      for (const SeatNews& seat : room.news.seats) players.insert(seat.player);
      for (const PlayerId& player : players) {
        (room.seats.find(player) != nullptr ? told.seated : told.left).push_back(player);
      }
    }
    happenings.emplace_back(std::move(told));
  }
}

}  // namespace fixkeep::worker
