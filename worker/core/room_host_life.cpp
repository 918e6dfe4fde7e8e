// Performs the outputs of a room's life.
#include <algorithm>
#include <utility>

#include "worker/core/room_host_internals.hpp"

namespace fixkeep::worker {

using life::Blame;
using life::Why;
using wire::RoomPhase;

namespace {

std::string words_of(const Room& room, Blame blame, std::string& how) {
  switch (blame) {
    case Blame::none: return {};
    case Blame::slow:
      return "boot-timeout: " +
             (room.why_not_ready.empty() ? "it is not ready" : room.why_not_ready);
    case Blame::silent: return "no sign of life before it was ready";
    case Blame::ended: return "it asked to end before it was ready";
    case Blame::exited: return std::move(how);
    case Blame::exited_early: return "right after it was ready: " + how;
  }
  return {};
}

std::string words_of(const Room& room, Why why, std::string& said) {
  switch (why) {
    case Why::closed: return {};
    case Why::place_invalid: return "its place is not valid";
    case Why::place_unknown: return "it is ready, but its address is unknown";
    case Why::for_nobody:
      return "it started, but no player waits for it" +
             (room.why_not_ready.empty() ? "" : ", and is not ready: " + room.why_not_ready);
    case Why::empty: return room.nobody_came() ? "nobody came" : "";
    case Why::unhealthy: return std::move(said);
  }
  return {};
}

}  // namespace

void RoomHost::Impl::live(Room& room, const life::Event& event, std::string said) {
  const auto before = room.life.timer();
  life::Outputs outputs;
  room.life.step(event, now, outputs);
  watch_timer(room, before);
  for (const life::Output& output : outputs) {
    std::visit([&](const auto& wanted) { perform(room, wanted, said); }, output);
  }
}

void RoomHost::Impl::watch_timer(const Room& room, const std::optional<RoomLife::Timer>& before) {
  if (room.life.timer() == before) return;
  if (before) timers.erase({before->at, room.number});
  if (room.life.timer()) timers.emplace(room.life.timer()->at, room.number);
}

LifeRules RoomHost::Impl::life_rules(const ModeOptions& mode) const {
  return {.boot_timeout = mode.boot_timeout,
          .stop_grace = mode.stop_grace,
          .hears_first = options.hears_first,
          .close_empty_after = options.close_empty_after,
          .unwanted_after = options.unwanted_after,
          .looks_if_empty = mode.seats == SeatRule::until_exit};
}

life::Need RoomHost::Impl::need_of(const Room& room) const {
  return {
      .taken = room.seats.taken() != 0,
      // A match's room waits for players as long as a room that players have entered: the
      // match's service may request the seats late.
      .came = !room.nobody_came() || room.match.has_value(),
      .warm = wire::is_warm_pool(room.group),
      .kept = is_kept_warm(room),
      .over = room.admission.rule != Newcomers::always && room.stage() == RoomStage::no_newcomers};
}

// Players without a seat may be in the game. Therefore the latest LookAtGame or count decides, not
// the seats.
bool RoomHost::Impl::is_occupied(const Room& room) const {
  if (rules_of(room).seats == SeatRule::until_exit) return room.connected == true;
  return room.is_asked && room.counted != 0U;
}

// --- outputs -------------------------------------------------------------------------------------

void RoomHost::Impl::perform(Room& room, const life::Open&, std::string&) {
  room.opened_at = clock.worker_time();
  if (room.started_at) boots[room.mode].ready.add(now - *room.started_at);
  if (room.older_rules == nullptr) boot_backoff.opened(room.mode, room.group, now);
  mode_troubles.mended(room.mode);
  look_at_players(room);
  if (newcomer_times.begin(room, now)) records.room_changes(room.number);
  expect_all(room, time_to_come(room));
  news.changed(room);
}

void RoomHost::Impl::perform(Room& room, const life::Close& close, std::string& said) {
  health.forget(room.number);
  leave_group(room);
  const MatchEnded ended{room.group, now};
  if (room.match && wire::ends_match(close.reason, room.opened_at) && ended_matches.add(ended)) {
    records.add(ended);
  }
  ++counters.rooms_closed;
  ++closed_rooms[{room.mode, close.reason}];
  if (wire::is_failed_boot(close.reason)) {
    ++counters.boots_failed;
    if (room.started_at) boots[room.mode].failed.add(now - *room.started_at);
  }
  news.changed(room);
  if (close.blame != Blame::none) blame(room, words_of(room, close.blame, said));
}

void RoomHost::Impl::perform(Room& room, const life::Signal& signal, std::string& said) {
  out->emplace_back(SignalProcess{
      .room = room.number, .reason = room.life.reason(), .why = words_of(room, signal.why, said)});
}

void RoomHost::Impl::perform(Room& room, const life::Kill& kill, std::string&) {
  std::optional<Duration> silence;
  if (kill.silent) silence = health.limit();
  out->emplace_back(
      KillProcess{.room = room.number, .reason = room.life.reason(), .silence = silence});
}

void RoomHost::Impl::perform(Room& room, const life::Look&, std::string&) {
  look(room);
}

// Requests a LookAtGame, and discards the answer to the previous LookAtGame.
void RoomHost::Impl::look(Room& room) {
  room.connected.reset();
  const bool connected = rules_of(room).seats == SeatRule::until_exit;
  out->emplace_back(LookAtGame{.room = room.number, .connected = connected});
}

void RoomHost::Impl::perform(Room& room, const life::ListenFor& listen, std::string&) {
  health.sign_within(room.number, std::min(listen.time, health.limit()), now);
}

void RoomHost::Impl::perform(Room& room, const life::Forget& forget, std::string&) {
  if (forget.unbegun) capacity.pace().given_up();
  capacity.give_back(rules_of(room).memory_mib);
  gone.push_back(room.number);
  end_result(room.number);
  tell_if_stopped();
}

}  // namespace fixkeep::worker
