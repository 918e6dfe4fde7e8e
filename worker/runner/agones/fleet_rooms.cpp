#include "worker/runner/agones/fleet_rooms.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "common/base/assert.hpp"

namespace fixkeep::worker::agones {
namespace {

constexpr auto closed_early = "it was closed before it had a server";
constexpr auto is_gone = "its server is gone";

}  // namespace

// --- requests from the worker --------------------------------------------------------------------

void FleetRooms::start(const std::string& object, TimePoint now, FleetActions& out) {
  const auto [added, fresh] = rooms_.try_emplace(object);
  FIXKEEP_ASSERT(fresh, object);
  added->second.due = now;
  added->second.give_up_at = now + options_.patience;
  go_on(now, out);
}

void FleetRooms::adopt(const std::string& object, std::optional<wire::RoomPlace> place,
                       TimePoint now, FleetActions& out) {
  const auto [added, fresh] = rooms_.try_emplace(object);
  FIXKEEP_ASSERT(fresh, object);
  Room& adopted = added->second;
  adopted.phase = Phase::adopted;
  adopted.is_adopted = true;
  adopted.place = std::move(place);
  adopted.due = TimePoint::max();
  if (listed_) look_after_list(object, adopted, now, out);
  go_on(now, out);
}

void FleetRooms::end_others(TimePoint now, FleetActions& out) {
  ended_others_ = true;
  go_on(now, out);
}

// If the watch shows a server for this room later, that server is released.
void FleetRooms::end(const std::string& object, TimePoint now, FleetActions& out) {
  const auto found = rooms_.find(object);
  if (found == rooms_.end()) return;
  found->second.unwanted = true;
  if (found->second.phase == Phase::waiting) {
    end_room(object, never_ran(closed_early, true), out);
  } else {
    look_at(object, out);
  }
  go_on(now, out);
}

// --- answers of the API --------------------------------------------------------------------------

void FleetRooms::answered(const std::string& object, const AskAnswer& answer, TimePoint now,
                          FleetActions& out) {
  FIXKEEP_ASSERT(asking_ > 0, object);
  --asking_;
  const auto found = rooms_.find(object);
  if (found != rooms_.end() && found->second.phase == Phase::asking) {
    Room& room = found->second;
    room.why = answer.why;
    switch (answer.kind) {
      case AskAnswer::Kind::given:
        room.phase = Phase::given;
        room.due = now + options_.shown_within;
        break;
      case AskAnswer::Kind::none: end_room(object, never_ran(answer.why, true), out); break;
      case AskAnswer::Kind::refused: end_room(object, never_ran(answer.why, false), out); break;
      case AskAnswer::Kind::lost:
        ++room.lost;
        try_later(object, room, now, out);
        break;
      case AskAnswer::Kind::not_now: try_later(object, room, now, out); break;
    }
  }
  go_on(now, out);
}

void FleetRooms::try_later(const std::string& object, Room& room, TimePoint now,
                           FleetActions& out) {
  if (room.unwanted) return end_room(object, never_ran(closed_early, true), out);
  if (room.lost >= options_.most_lost) return end_room(object, never_ran(room.why, true), out);
  room.phase = Phase::waiting;
  room.pause = longer(room.pause);
  room.due = now + room.pause;
}

void FleetRooms::freed(const std::string& uid, FreeAnswer answer, TimePoint now,
                       FleetActions& out) {
  FIXKEEP_ASSERT(freeing_ > 0, uid);
  --freeing_;
  if (const auto found = servers_.find(uid); found != servers_.end()) {
    Server& server = found->second;
    server.busy = false;
    // The server has a newer version, which the watch will soon show. So the next pause is the
    // shortest pause.
    if (answer == FreeAnswer::changed) server.pause = Duration{0};
    server.pause = answer == FreeAnswer::done ? options_.longest_pause : longer(server.pause);
    server.due = now + server.pause;
  }
  go_on(now, out);
}

// The answer may be older than the watch's last event, so it counts only until the watch has shown
// the room's server. If no server was found, the room ends. Otherwise the watch is going to show
// it.
void FleetRooms::looked(const std::string& object, std::optional<bool> found, TimePoint now,
                        FleetActions& out) {
  const auto room = rooms_.find(object);
  if (room != rooms_.end() && room->second.phase == Phase::given) {
    room->second.due = now + options_.shown_within;
    if (found == false)
      end_room(object, never_ran("its server was gone before it was seen", true), out);
  }
  go_on(now, out);
}

// --- events of the watch -------------------------------------------------------------------------

void FleetRooms::listed(const std::vector<FleetServer>& servers, TimePoint now, FleetActions& out) {
  std::set<std::string> there;
  for (const FleetServer& each : servers) {
    there.insert(each.uid);
    show(each);
  }
  std::erase_if(servers_, [&](const auto& each) { return !there.contains(each.first); });
  listed_ = watched_ = true;
  for (auto next = rooms_.begin(); next != rooms_.end();) {
    const auto room = next++;  // the room may be erased below
    look_after_list(room->first, room->second, now, out);
  }
  go_on(now, out);
}

void FleetRooms::goes_on(TimePoint now, FleetActions& out) {
  watched_ = listed_;
  go_on(now, out);
}

// If an adopted room has no server in the list, it has ended. Exception: if its place is not known,
// its request for a server may still be under way, so the room waits for the result.
void FleetRooms::look_after_list(const std::string& object, Room& room, TimePoint now,
                                 FleetActions& out) {
  if (room.uid.empty()) choose(object, room);
  if (!room.uid.empty()) return look_at(object, out);
  if (room.phase != Phase::adopted) return;
  if (room.place) return end_room(object, {.how = is_gone}, out);
  if (room.due == TimePoint::max()) room.due = now + options_.shown_within;
}

void FleetRooms::changed(const FleetServer& server, TimePoint now, FleetActions& out) {
  const auto before = servers_.find(server.uid);
  const std::string object = before == servers_.end() ? "" : before->second.shown.room;
  show(server);
  if (object != server.room) look_at(object, out);
  look_at(server.room, out);
  go_on(now, out);
}

void FleetRooms::gone(const std::string& uid, TimePoint now, FleetActions& out) {
  const auto node = servers_.extract(uid);
  if (!node.empty()) look_at(node.mapped().shown.room, out);
  go_on(now, out);
}

void FleetRooms::show(const FleetServer& server) {
  Server& known = servers_[server.uid];
  if (known.shown.room != server.room) known.left.reset();
  if (server.state == ServerState::free) known.left = server.attempt;
  known.shown = server;
}

// --- a room and its server -----------------------------------------------------------------------

// Returns whether the server was free, and none of our requests has taken it since.
bool FleetRooms::is_lost_to_us(const Server& server) {
  return server.left == server.shown.attempt;
}

void FleetRooms::look_at(const std::string& object, FleetActions& out) {
  const auto found = rooms_.find(object);
  if (found == rooms_.end()) return;
  Room& room = found->second;
  if (room.uid.empty()) choose(object, room);
  if (room.uid.empty()) return;
  const auto server = servers_.find(room.uid);
  const bool is_there = server != servers_.end() && server->second.shown.room == object;
  const bool is_ours = is_there && !is_lost_to_us(server->second);
  const bool is_released = room.unwanted && is_ours && server->second.shown.deleted;
  if (is_ours && !is_released) return tell(room, server->second.shown, out);
  const std::string how = is_there && !is_ours ? "its game has made its server free for others"
                          : room.unwanted      ? "its server was released"
                                               : is_gone + room.why;
  if (!room.begun && !room.place) return end_room(object, never_ran(how, true), out);
  // A game that returns to Ready has finished. This is a regular end.
  const bool is_done = is_there && !is_ours && !room.unwanted && !room.closing;
  if (is_done) out.emplace_back(FleetClosing{object, ""});
  end_room(object, {.how = how}, out);
}

// If an earlier run has reported the room's place, chooses only a server at this place. Otherwise
// chooses the held server with the lowest uid. If there is none, an adopted room gets a server that
// is being removed: the room then ends when this server is gone.
void FleetRooms::choose(const std::string& object, Room& room) {
  std::string leaving;
  for (const auto& [uid, server] : servers_) {
    const FleetServer& shown = server.shown;
    if (shown.room != object || is_lost_to_us(server)) continue;
    if (room.place && shown.place != *room.place) continue;
    if (!shown.deleted && (room.place || shown.state == ServerState::held)) return take(room, uid);
    leaving = uid;
  }
  if (room.is_adopted && !leaving.empty()) take(room, leaving);
}

void FleetRooms::take(Room& room, const std::string& uid) {
  room.uid = uid;
  room.phase = Phase::placed;
  room.why.clear();
}

void FleetRooms::tell(Room& room, const FleetServer& server, FleetActions& out) {
  const bool closes = server.deleted || server.state == ServerState::ending;
  const bool is_known = !server.place.host.empty() && !server.place.ports.empty();
  if (!room.begun && !room.unwanted && !closes && is_known) {
    room.begun = true;
    out.emplace_back(
        FleetShown{server.room, {.state = engine::Sight::State::running, .place = server.place}});
  }
  if (room.begun && !closes && server.players && room.players != server.players) {
    room.players = server.players;
    out.emplace_back(FleetCounted{server.room, *server.players});
  }
  if (!closes) return;
  if (std::exchange(room.closing, true)) return;
  room.why = ": it was " + (server.deleted ? "deleted" : server.state_name);
  if (room.unwanted) return;
  // If the game requests its end, Agones deletes the server and leaves this state on it.
  const bool asked = server.state_name == "Shutdown";
  const std::string why =
      server.deleted ? "its server was deleted" : "its server is " + server.state_name;
  out.emplace_back(FleetClosing{server.room, asked ? "" : why});
}

void FleetRooms::end_room(const std::string& object, const GameEnd& end, FleetActions& out) {
  out.emplace_back(FleetShown{object, {.state = engine::Sight::State::ended, .end = end}});
  rooms_.erase(object);
}

// --- work that is due ----------------------------------------------------------------------------

Duration FleetRooms::longer(Duration pause) const {
  return std::clamp(pause * 2, options_.first_pause, options_.longest_pause);
}

void FleetRooms::go_on(TimePoint now, FleetActions& out) {
  for (auto next = rooms_.begin(); next != rooms_.end();) {
    const auto room = next++;  // the room may be erased below
    go_on_with(room->first, room->second, now, out);
  }
  ask(now, out);
  free_servers(now, out);
}

void FleetRooms::go_on_with(const std::string& object, Room& room, TimePoint now,
                            FleetActions& out) {
  if (room.phase == Phase::waiting && room.give_up_at <= now) {
    const auto why = room.why.empty() ? "the API of Kubernetes does not answer" : room.why;
    return end_room(object, never_ran(why, true), out);
  }
  if (room.phase == Phase::adopted && watched_ && room.due <= now) {
    return end_room(object, never_ran("its worker ended before it had a server", true), out);
  }
  if (room.phase == Phase::given && watched_ && room.due <= now) {
    room.due = TimePoint::max();
    out.emplace_back(LookForServer{object});
  }
}

// Requests servers, but only while a watch would show the result. The room that has waited longest
// is first.
void FleetRooms::ask(TimePoint now, FleetActions& out) {
  const auto goes_first = [](const auto& a, const auto& b) {
    return std::pair{a.second.phase, a.second.due} < std::pair{b.second.phase, b.second.due};
  };
  while (may_ask()) {
    const auto next = std::min_element(rooms_.begin(), rooms_.end(), goes_first);
    if (next == rooms_.end()) return;
    auto& [object, room] = *next;
    if (room.phase != Phase::waiting || room.due > now) return;
    room.phase = Phase::asking;
    ++asking_;
    out.emplace_back(AskForServer{object, std::to_string(++room.asks)});
  }
}

void FleetRooms::ask_no_more() {
  asks_no_more_ = true;
  cut_off();
  freeing_ = 0;
  for (auto& [uid, server] : servers_) server = {.shown = server.shown, .left = server.left};
}

bool FleetRooms::is_unwanted(const Server& server) const {
  const auto found = rooms_.find(server.shown.room);
  if (found == rooms_.end()) return ended_others_;
  const Room& room = found->second;
  if (room.uid.empty()) return false;  // the server may become the room's
  return room.uid != server.shown.uid || room.unwanted;
}

std::size_t FleetRooms::unwanted(bool deleted) const {
  return static_cast<std::size_t>(
      std::count_if(servers_.begin(), servers_.end(), [&](const auto& each) {
        const Server& server = each.second;
        return (deleted || !server.shown.deleted) && !is_lost_to_us(server) && is_unwanted(server);
      }));
}

void FleetRooms::free_servers(TimePoint now, FleetActions& out) {
  for (auto& [uid, server] : servers_) {
    if (freeing_ >= options_.at_once) return;
    if (server.busy || server.due > now || server.shown.deleted || server.shown.room.empty()) {
      continue;
    }
    const bool only_name = is_lost_to_us(server);
    if (!only_name && !is_unwanted(server)) continue;
    server.busy = true;
    ++freeing_;
    out.emplace_back(FreeServer{server.shown, only_name});
  }
}

TimePoint FleetRooms::next_tick() const {
  TimePoint next = TimePoint::max();
  for (const auto& [object, room] : rooms_) {
    if (room.phase == Phase::waiting) {
      next = std::min({next, room.give_up_at, may_ask() ? room.due : TimePoint::max()});
    }
    const bool awaits = room.phase == Phase::given || room.phase == Phase::adopted;
    if (awaits && watched_) next = std::min(next, room.due);
  }
  if (freeing_ >= options_.at_once) return next;
  for (const auto& [uid, server] : servers_) {
    if (server.busy || server.shown.deleted || server.shown.room.empty()) continue;
    if (is_lost_to_us(server) || is_unwanted(server)) next = std::min(next, server.due);
  }
  return next;
}

}  // namespace fixkeep::worker::agones
