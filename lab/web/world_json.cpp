#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "lab/web/world.hpp"

namespace fixkeep::lab_web {
namespace {

using nlohmann::json;

std::string show(FencingToken token) {
  if (token == FencingToken{}) return {};
  if (token.master == MasterId{}) return std::to_string(token.counter);  // a floor
  return std::to_string(token.counter) + "." + to_string(token.master);
}

std::int64_t micros(TimePoint at) {
  return at.time_since_epoch().count();
}

json show(const Message& message) {
  return {{"id", message.id},       {"from", message.from},
          {"to", message.to},       {"sent", micros(message.sent)},
          {"what", message.what},   {"arrives", micros(message.arrives)},
          {"round", message.round}, {"token", show(message.token)}};
}

constexpr std::array<std::string_view, 3> lives{"running", "stopped", "killed"};
constexpr std::array<std::string_view, 4> phases{"idle", "waiting", "fencing", "working"};

template <class Enum, std::size_t count>
std::string_view name(Enum value, const std::array<std::string_view, count>& names) {
  return names.at(static_cast<std::size_t>(value));
}

}  // namespace

std::string World::state_json() const {
  json state{{"at", micros(now_)},
             {"steps", steps_},
             {"next", nullptr},
             {"holders", holders()},
             {"most_holders", most_holders_},
             {"two_us", (two_for_ + (holders_ > 1 ? now_ - two_since_ : Duration{})).count()},
             {"grants", grants_},
             {"accepted", accepted_},
             {"refused", refused_},
             {"stale", stale_},
             {"messages", messages_},
             {"seen", show(seen_)},
             {"records", records_.size()},
             {"nodes", json::array()},
             {"links", json::array()},
             {"way", json::array()}};
  if (const TimePoint soon = next(); soon != TimePoint::max()) state["next"] = micros(soon);
  std::vector<int> queue;
  for (int id = 1; id <= last(); ++id) {
    const Node& seen = node(id);
    json shown{{"id", id},
               {"life", name(seen.life, lives)},
               {"phase", name(seen.phase, phases)},
               {"state", "idle"},
               {"token", ""},
               {"since", micros(seen.since)},
               {"unread", seen.inbox.size()},
               {"joined", seen.table && seen.table->joined()},
               {"up", json::array()}};
    for (int peer = 1; seen.table && peer <= last(); ++peer) {
      if (peer != id && seen.table->up(master_id(peer))) shown["up"].push_back(peer);
    }
    if (seen.table && !seen.table->status(1).empty()) {
      const auto key = seen.table->status(1).front();
      shown["state"] = key.state;
      shown["token"] = show(key.token);
    }
    state["nodes"].push_back(std::move(shown));
    if (seen.phase == Phase::waiting) queue.push_back(id);
  }
  std::stable_sort(queue.begin(), queue.end(),
                   [&](int a, int b) { return node(a).since < node(b).since; });
  state["queue"] = queue;
  for (int from = 0; from <= last(); ++from) {
    for (int to = 0; to <= last(); ++to) {
      if (from == to) continue;
      const Direction& seen = way(from, to);
      state["links"].push_back({{"from", from},
                                {"to", to},
                                {"up", seen.up},
                                {"cut", seen.cut},
                                {"held", seen.held},
                                {"slower_ms", seen.slower.count() / 1000}});
      for (const Parcel& parcel : seen.way) state["way"].push_back(show(parcel.message));
    }
  }
  return state.dump();
}

std::string World::records_json(std::size_t from) const {
  json all = json::array();
  for (std::size_t i = from; i < records_.size(); ++i) {
    const Record& each = records_[i];
    json made{
        {"step", each.step}, {"at", micros(each.at)}, {"what", each.what}, {"node", each.node}};
    if (each.peer >= 0) made["peer"] = each.peer;
    if (each.token != FencingToken{}) made["token"] = show(each.token);
    if (each.message) made["message"] = show(*each.message);
    all.push_back(std::move(made));
  }
  return all.dump();
}

}  // namespace fixkeep::lab_web
