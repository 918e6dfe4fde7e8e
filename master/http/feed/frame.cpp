#include "master/http/feed/frame.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "common/obs/version.hpp"
#include "master/http/feed/pools_json.hpp"

namespace fixkeep::master {
namespace {

using nlohmann::json;

// Returns the text between the braces: "a":1,"b":2 for {"a":1,"b":2}. This text is never empty,
// because all objects of the pages have members.
std::string_view members(std::string_view object) {
  return object.substr(1, object.size() - 2);
}

std::string counts_json(const FrameFacts& facts) {
  const auto& seen = facts.counters;
  return json{{"counts",
               {{"requests", seen.requested},
                {"seated", seen.seated},
                {"refused", seen.refused},
                {"cancelled", seen.cancelled},
                {"rooms_ordered", seen.spawns_ordered},
                {"boots_failed", seen.boots_failed},
                {"duplicates", facts.duplicates},
                {"locks_acquired", facts.locks.statistics.acquisitions}}}}
      .dump();
}

// Returns the start of a wait in ms since 1970. Frames contain this start, not the duration, so
// their text does not change during the wait.
std::int64_t wall_ms(const FrameFacts& facts, Duration since_zero) {
  return facts.steady_zero_ms +
         std::chrono::duration_cast<std::chrono::milliseconds>(since_zero).count();
}

std::string waiting_json(const FrameFacts& facts) {
  json groups = json::array();
  for (const auto& waits : facts.waiting.groups) {
    groups.push_back({{"group", waits.group.text()},
                      {"requests", waits.requests},
                      {"since_ms", wall_ms(facts, waits.since.time_since_epoch())}});
  }
  const auto& since = facts.waiting.since;
  return json{
      {"waiting",
       {{"requests", facts.waiting.requests},
        {"since_ms", since ? json(wall_ms(facts, since->time_since_epoch())) : json(nullptr)},
        {"groups", std::move(groups)}}}}
      .dump();
}

// Omits the empty buckets at the end.
json histogram_json(const DurationHistogram& times) {
  const auto& counts = times.counts();
  std::size_t used = counts.size();
  while (used > 0 && counts[used - 1] == 0) --used;
  return {{"sum_us", times.sum_us()},
          {"counts",
           std::vector<std::uint64_t>(counts.begin(), counts.begin() + static_cast<long>(used))}};
}

std::string times_json(const FrameFacts& facts) {
  return json{
      {"times",
       {{"match", histogram_json(facts.match_times)}, {"boot", histogram_json(facts.boot_times)}}}}
      .dump();
}

// Shows the locks that this master wants or has.
std::string lock_facts_json(const FrameFacts& facts) {
  json locks = json::array();
  for (const auto& lock : facts.locks.locks) {
    if (lock.want == lock::Want::nothing) continue;
    locks.push_back({{"group", lock.key.text()},
                     {"state", lock.state},
                     {"held", lock.want == lock::Want::holding},
                     {"token", text_of(lock.token)},
                     {"since_ms", wall_ms(facts, lock.since)}});
  }
  return json{{"strategy", facts.locks.strategy}, {"locks", std::move(locks)}}.dump();
}

void append_list(std::string_view name, const std::vector<std::string>& objects,
                 std::string& text) {
  text.append(",\"").append(name).append("\":[");
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (i > 0) text += ',';
    text += objects[i];
  }
  text += ']';
}

std::string begun(const FrameFacts& facts) {
  return "{\"at_ms\":" + std::to_string(facts.at_ms);
}

}  // namespace

FrameWriter::FrameWriter(const FeedIdentity& identity) {
  json modes = json::array();
  for (const Mode& mode : identity.modes) {
    modes.push_back({{"mode", mode.name.text()},
                     {"capacity", mode.capacity},
                     {"rules", mode.rules ? rules_json(*mode.rules) : json(nullptr)}});
  }
  identity_ = members(json{
      {"node", identity.node},
      {"cluster", identity.cluster},
      {"version", obs::version()},
      {"modes",
       std::move(modes)}}.dump());
}

sync::LockResult<std::string> FrameWriter::change(const DirectoryView& view,
                                                  const FrameFacts& facts) {
  const auto workers = workers_json(view, facts.quarantined);
  if (!workers) return workers.error();
  std::string text = begun(facts);
  const auto empty = text.size();
  const auto tell = [&](const char* page, const std::string& object) {
    std::string& told = told_[page];
    if (told == members(object)) return;
    told = members(object);
    text.append(",").append(told);
  };
  tell("workers", *workers);
  tell("masters", masters_json(facts.masters));
  tell("locks", lock_facts_json(facts));
  tell("counts", counts_json(facts));
  tell("waiting", waiting_json(facts));
  tell("times", times_json(facts));
  tell("pools",
       pools_json(facts.pools ? *facts.pools : std::vector<ModePools>{}, facts.steady_zero_ms));
  auto changed = facts.rooms;
  if (const auto added = add_lost(view, changed); !added) return added.error();
  if (!changed.empty()) {
    const auto rooms = changed_rooms_json(view, changed);
    if (!rooms) return rooms.error();
    text.append(",").append(members(*rooms));
  }
  if (!facts.events.empty()) append_list("events", facts.events, text);
  if (facts.missed > 0) text += ",\"missed\":" + std::to_string(facts.missed);
  if (text.size() == empty) return std::string{};
  return text + "}";
}

sync::LockResult<void> FrameWriter::add_lost(const DirectoryView& view, std::set<RoomId>& rooms) {
  const auto workers = view.workers();
  if (!workers) return workers.error();
  std::map<WorkerId, std::uint64_t> links;
  for (const auto& seen : *workers) links.emplace(seen.worker->id, seen.worker->link);
  for (const auto& [worker, link] : links_) {
    const auto now = links.find(worker);
    if (now != links.end() && now->second == link) continue;
    auto room = shown_.lower_bound(RoomId{worker, Incarnation{0}, RoomNumber{0}});
    for (; room != shown_.end() && room->worker == worker; ++room) rooms.insert(*room);
  }
  links_ = std::move(links);
  if (!std::exchange(begun_, true)) {
    const auto all = view.rooms({}, snapshot_rooms);
    if (!all) return all.error();
    for (const auto& seen : *all) shown_.insert(seen.room->id);
  }
  for (const RoomId& id : rooms) {
    const auto seen = view.room(id);
    if (!seen) return seen.error();
    if (seen->room) {
      shown_.insert(id);
    } else {
      shown_.erase(id);
    }
  }
  return {};
}

sync::LockResult<std::string> FrameWriter::snapshot(const DirectoryView& view,
                                                    const FrameFacts& facts,
                                                    const std::vector<std::string>& events) const {
  const auto rooms = rooms_json(view, RoomPage{.after = {}, .limit = snapshot_rooms});
  if (!rooms) return rooms.error();
  std::string text = begun(facts) + "," + identity_ + ",";
  text += members(*rooms);
  for (const auto& [page, told] : told_) text.append(",").append(told);
  append_list("events", events, text);
  return text + "}";
}

}  // namespace fixkeep::master
