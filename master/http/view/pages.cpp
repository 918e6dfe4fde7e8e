#include "master/http/view/pages.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/wire/warm_pool.hpp"

namespace fixkeep::master {
namespace {

using nlohmann::json;

std::string_view text_of(wire::RoomPhase phase) {
  switch (phase) {
    case wire::RoomPhase::starting: return "starting";
    case wire::RoomPhase::open: return "open";
    case wire::RoomPhase::draining: return "draining";
    case wire::RoomPhase::closed: return "closed";
  }
  return "unknown";
}

json json_of(const Wants& wants) {
  json out = json::array();
  for (const Want& want : wants) {
    json& each = out.emplace_back(json{{"players", want.players}});
    if (!want.team.empty()) each["team"] = want.team;
    if (!want.role.empty()) each["role"] = want.role;
  }
  return out;
}

json json_of(const RoomSight& seen) {
  const auto& room = *seen.room;
  const auto& worker = *seen.worker;
  const bool warm = wire::is_warm_pool(room.group);
  const json occupied = room.occupied ? json(*room.occupied) : json(nullptr);
  const wire::RoomPlace place = room.place.value_or(wire::RoomPlace{});
  json ports = json::object();
  for (const wire::NamedPort& port : place.ports) ports[port.name] = port.number;
  return {{"room_id", to_string(room.id)},
          {"group", warm ? json(nullptr) : json(room.group.text())},
          {"mode", room.mode.text()},
          {"phase", text_of(room.phase)},
          {"worker", worker.id.text()},
          {"zone", worker.zone.text()},
          {"address", place.host.empty() ? worker.address : place.host},
          {"port", room.place ? json(place.port()) : json(nullptr)},
          {"ports", std::move(ports)},
          {"capacity", room.capacity},
          {"reserved", room.reserved()},
          {"occupied", occupied},
          {"creation_id", to_string(room.creation)},
          {"takes_newcomers", room.takes_newcomers},
          {"wants", json_of(room.wants)}};
}

json json_of(const EngineFacts& engine) {
  const auto& seen = engine.statistics;
  return {{"ready", engine.ready},
          {"requests", seen.requests_sent},
          {"replies", seen.replies_received},
          {"failures",
           {{"unreachable", seen.failures_unreachable},
            {"timeout", seen.failures_timeout},
            {"refused", seen.failures_refused}}},
          {"connections_lost", seen.connections_lost},
          {"reconnects", seen.reconnects},
          {"locks_lost", seen.locks_lost},
          {"last_failure", seen.last_failure.empty() ? json(nullptr) : json(seen.last_failure)}};
}

std::string dump(const json& document) {
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

json percentiles_of(const DurationHistogram& durations) {
  return {{"p50", durations.percentile_us(0.5)}, {"p99", durations.percentile_us(0.99)}};
}

}  // namespace

sync::LockResult<std::string> rooms_json(const DirectoryView& view, const RoomPage& page) {
  // Reads one room more than the page shows: if it exists, another page follows.
  const auto found = view.rooms(page.after, page.limit + 1);
  if (!found) return found.error();
  json rooms = json::array();
  json next = nullptr;
  for (const auto& seen : *found) {
    if (rooms.size() == page.limit) {
      next = rooms.back()["room_id"];
      break;
    }
    rooms.push_back(json_of(seen));
  }
  return dump({{"rooms", std::move(rooms)}, {"next", std::move(next)}});
}

sync::LockResult<std::string> changed_rooms_json(const DirectoryView& view,
                                                 const std::set<RoomId>& wanted) {
  json rooms = json::array();
  json gone = json::array();
  for (const RoomId& id : wanted) {
    const auto seen = view.room(id);
    if (!seen) return seen.error();
    if (seen->room) {
      rooms.push_back(json_of(*seen));
    } else {
      gone.push_back(to_string(id));
    }
  }
  return dump({{"rooms", std::move(rooms)}, {"rooms_gone", std::move(gone)}});
}

sync::LockResult<std::string> room_json(const DirectoryView& view, const RoomId& id) {
  const auto seen = view.room(id);
  if (!seen) return seen.error();
  return seen->room ? dump(json_of(*seen)) : std::string{};
}

std::vector<QuarantineFacts> quarantine_facts(const MasterCore& core, TimePoint now) {
  std::vector<QuarantineFacts> facts;
  for (const Quarantine::Stay& stay : core.quarantined()) {
    facts.push_back(
        {stay.worker, stay.misdeed, stay.times, std::max(stay.until - now, Duration{}), stay.mode});
  }
  return facts;
}

sync::LockResult<std::string> workers_json(const DirectoryView& view,
                                           const std::vector<QuarantineFacts>& quarantined) {
  const auto found = view.workers();
  if (!found) return found.error();
  json workers = json::array();
  for (const auto& seen : *found) {
    const auto& worker = *seen.worker;
    if (!worker.known) continue;
    json modes = json::array();
    for (const auto& mode : worker.modes) modes.push_back(mode.text());
    json paused = json::array();
    json not_ready = json::array();
    for (const auto& pause : worker.paused) {
      if (pause.cause == wire::PauseCause::slow) {
        not_ready.push_back({{"mode", pause.mode.text()}, {"reason", pause.reason}});
        continue;
      }
      paused.push_back({{"mode", pause.mode.text()},
                        {"cause", to_string(pause.cause)},
                        {"reason", pause.reason}});
    }
    workers.push_back({{"worker", worker.id.text()},
                       {"zone", worker.zone.text()},
                       {"address", worker.address},
                       {"ping_port", worker.ping_port == 0 ? json{} : json(worker.ping_port)},
                       {"room_limit", worker.room_limit},
                       {"headroom", worker.headroom},
                       {"starts_queued", worker.start_queue.queued},
                       {"starts_per_minute", worker.start_queue.per_minute},
                       {"behind", worker.behind},
                       {"rooms", seen.rooms},
                       {"rooms_started", worker.newest_room.number()},
                       {"modes", std::move(modes)},
                       {"paused", std::move(paused)},
                       {"not_ready", std::move(not_ready)}});
  }
  json left_out = json::array();
  for (const auto& each : quarantined) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(each.left);
    left_out.push_back({{"worker", each.worker.text()},
                        {"reason", to_string(each.misdeed)},
                        {"gets", what_it_gets(each.misdeed)},
                        {"times", each.times},
                        {"left_ms", left.count()}});
    if (!each.mode.empty()) left_out.back()["mode"] = each.mode.text();
  }
  return dump({{"workers", std::move(workers)}, {"quarantined", std::move(left_out)}});
}

std::vector<MasterFacts> masters_facts(MasterId self, const std::vector<MasterRow>& configured,
                                       const MasterCore& core) {
  std::vector<MasterFacts> facts;
  facts.reserve(configured.size());
  for (const auto& row : configured) {
    const bool is_self = row.master == self;
    facts.push_back({row, is_self, is_self || core.locks().up(row.master), core.joined()});
  }
  return facts;
}

std::string masters_json(const std::vector<MasterFacts>& facts) {
  json masters = json::array();
  for (const auto& master : facts) {
    masters.push_back({{"master", to_string(master.row.master)},
                       {"address", master.row.address},
                       {"self", master.self},
                       {"up", master.up},
                       {"joined", master.self ? json(master.joined) : json(nullptr)}});
  }
  return dump({{"masters", std::move(masters)}});
}

std::string text_of(const FencingToken& token) {
  return std::to_string(token.counter) + "." + to_string(token.master);
}

LocksFacts locks_facts(std::string strategy, const MasterCore& core, TimePoint now,
                       std::optional<EngineFacts> engine) {
  return {std::move(strategy),
          core.locks().statistics(),
          core.counters().fences,
          core.locks().status(lock_limit),
          now,
          std::move(engine)};
}

std::string locks_json(const LocksFacts& facts) {
  const auto& statistics = facts.statistics;
  json locks = json::array();
  for (const auto& lock : facts.locks) {
    locks.push_back({{"group", lock.key.text()},
                     {"state", lock.state},
                     {"token", text_of(lock.token)},
                     {"for_ms", std::chrono::duration_cast<std::chrono::milliseconds>(
                                    facts.now.time_since_epoch() - lock.since)
                                    .count()}});
  }
  return dump({{"strategy", facts.strategy},
               {"statistics",
                {{"acquisitions", statistics.acquisitions},
                 {"abandons", statistics.abandons},
                 {"wait_timeouts", statistics.wait_timeouts},
                 {"lease_timeouts", statistics.lease_timeouts},
                 {"messages_sent", statistics.messages_sent},
                 {"bytes_sent", statistics.bytes_sent},
                 {"wait_us", percentiles_of(statistics.waits)},
                 {"hold_us", percentiles_of(statistics.holds)}}},
               {"fences", facts.fences},
               {"servers", facts.engine ? json_of(*facts.engine) : json(nullptr)},
               {"locks", std::move(locks)}});
}

}  // namespace fixkeep::master
