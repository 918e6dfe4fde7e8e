#include "master/http/views.hpp"

#include <nlohmann/json.hpp>

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

json row_of(const Room& room, const Worker& worker) {
  return {{"room_id", to_string(room.id)}, {"group", room.group.text()},
          {"mode", room.mode.text()},      {"phase", text_of(room.phase)},
          {"worker", worker.id.text()},    {"zone", worker.zone.text()},
          {"address", worker.address},     {"port", room.port},
          {"capacity", room.capacity},     {"reserved", room.players.size() - room.occupied},
          {"occupied", room.occupied},     {"creation_id", to_string(room.creation)}};
}

std::string dump(const json& document) {
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

// The upper edge, in microseconds, of the bucket that holds the given share of all counts. Bucket i
// counts values below 2^i, so this is at most twice the true value.
std::uint64_t percentile(const std::vector<std::uint64_t>& buckets, double share) {
  std::uint64_t all = 0;
  for (const auto count : buckets) all += count;
  const auto wanted = static_cast<double>(all) * share;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    seen += buckets[i];
    if (all > 0 && static_cast<double>(seen) >= wanted) return std::uint64_t{1} << i;
  }
  return 0;
}

json percentiles_of(const std::vector<std::uint64_t>& buckets) {
  return {{"p50", percentile(buckets, 0.5)}, {"p99", percentile(buckets, 0.99)}};
}

}  // namespace

std::string rooms_json(const Directory& directory, const RoomPage& page) {
  json rooms = json::array();
  json next = nullptr;
  const auto& workers = directory.workers();
  auto worker = page.after ? workers.lower_bound(page.after->worker) : workers.begin();
  for (; worker != workers.end() && next.is_null(); ++worker) {
    const auto& all = worker->second.rooms;
    const bool same_run = page.after && page.after->worker == worker->first &&
                          page.after->incarnation == worker->second.incarnation;
    for (auto room = same_run ? all.upper_bound(page.after->number) : all.begin();
         room != all.end(); ++room) {
      if (rooms.size() == page.limit) {
        next = rooms.back()["room_id"];
        break;
      }
      rooms.push_back(row_of(room->second, worker->second));
    }
  }
  return dump({{"rooms", std::move(rooms)}, {"next", std::move(next)}});
}

std::optional<std::string> room_json(const Directory& directory, const RoomId& id) {
  const auto worker = directory.workers().find(id.worker);
  if (worker == directory.workers().end()) return {};
  const auto room = worker->second.rooms.find(id.number);
  if (room == worker->second.rooms.end() || room->second.id != id) return {};
  return dump(row_of(room->second, worker->second));
}

std::string workers_json(const Directory& directory) {
  json workers = json::array();
  for (const auto& [id, worker] : directory.workers()) {
    if (!worker.known) continue;
    json modes = json::array();
    for (const auto& mode : worker.modes) modes.push_back(mode.text());
    workers.push_back({{"worker", id.text()},
                       {"zone", worker.zone.text()},
                       {"address", worker.address},
                       {"room_limit", worker.room_limit},
                       {"headroom", worker.headroom},
                       {"rooms", worker.rooms.size()},
                       {"rooms_started", worker.newest_room.number()},
                       {"modes", std::move(modes)}});
  }
  return dump({{"workers", std::move(workers)}});
}

std::string masters_json(MasterId self, const std::vector<MasterRow>& configured,
                         const MasterCore& core) {
  json masters = json::array();
  for (const auto& row : configured) {
    const bool is_self = row.master == self;
    masters.push_back({{"master", to_string(row.master)},
                       {"address", row.address},
                       {"self", is_self},
                       {"up", is_self || core.locks().up(row.master)},
                       {"joined", is_self ? json(core.joined()) : json(nullptr)}});
  }
  return dump({{"masters", std::move(masters)}});
}

std::string locks_json(std::string_view strategy, const MasterCore& core, TimePoint now) {
  const auto& statistics = core.locks().statistics();
  json locks = json::array();
  for (const auto& lock : core.locks().status(lock_limit)) {
    locks.push_back(
        {{"group", lock.key.text()},
         {"state", lock.state},
         {"token", std::to_string(lock.token.counter) + "." + to_string(lock.token.master)},
         {"for_ms",
          std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch() - lock.since)
              .count()}});
  }
  return dump({{"strategy", strategy},
               {"statistics",
                {{"acquisitions", statistics.acquisitions},
                 {"abandons", statistics.abandons},
                 {"wait_timeouts", statistics.wait_timeouts},
                 {"lease_timeouts", statistics.lease_timeouts},
                 {"messages_sent", statistics.messages_sent},
                 {"bytes_sent", statistics.bytes_sent},
                 {"wait_us", percentiles_of(statistics.wait_us_histogram)},
                 {"hold_us", percentiles_of(statistics.hold_us_histogram)}}},
               {"fences", core.counters().fences},
               {"locks", std::move(locks)}});
}

}  // namespace fixkeep::master
