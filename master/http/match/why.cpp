#include "master/http/match/why.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "common/base/percent.hpp"
#include "master/http/call.hpp"
#include "master/http/identity/caller_limits.hpp"
#include "master/http/match/capacity.hpp"
#include "master/rules/plan/explain.hpp"

namespace fixkeep::master {
namespace {

using nlohmann::ordered_json;
using std::chrono::milliseconds;

// A master with other rules may send counts for a rule that this master lacks.
bool has_rule(const plan::Rules& rules, std::uint32_t by) {
  return by >= plan::numbers_most || by < rules.distances.size();
}

ordered_json rule_json(const plan::Rules& rules, std::uint32_t by) {
  if (by >= plan::numbers_most) {
    return {{"rule", std::string{to_string(static_cast<plan::Refuser>(by))}}};
  }
  return {{"rule", "distance"}, {"number", rules.numbers.at(rules.distances.at(by).number)}};
}

ordered_json refused_json(const WhyWaits& why) {
  ordered_json all = ordered_json::array();
  for (const auto& refused : why.explained->refused) {
    if (!has_rule(*why.rules, refused.by)) continue;
    all.push_back(rule_json(*why.rules, refused.by));
    all.back()["requests"] = refused.tickets;
    all.back()["rooms"] = refused.rooms;
  }
  return all;
}

ordered_json left_json(std::optional<milliseconds> in, Duration ago) {
  if (!in) return nullptr;
  return std::max<std::int64_t>(0, std::chrono::ceil<milliseconds>(Duration{*in} - ago).count());
}

ordered_json nearest_json(const WhyWaits& why, Duration ago) {
  const auto& nearest = why.explained->nearest;
  if (!nearest || !has_rule(*why.rules, nearest->by)) return nullptr;
  ordered_json made = rule_json(*why.rules, nearest->by);
  made["room"] = nearest->room;
  made["beyond"] = nearest->beyond;
  made["in_ms"] = left_json(nearest->in, ago);
  return made;
}

ordered_json roles_json(const WhyWaits& why) {
  ordered_json all = ordered_json::array();
  const auto& missing = why.explained->roles_missing;
  for (std::size_t r = 0; r < std::min(missing.size(), why.rules->roles.size()); ++r) {
    if (missing[r] == 0) continue;
    all.push_back({{"role", why.rules->roles[r].name}, {"players", missing[r]}});
  }
  return all;
}

ordered_json full_json(const WhyWaits& why) {
  ordered_json all = ordered_json::array();
  if (!why.rules->latency) return all;
  const auto& regions = why.rules->latency->regions;
  for (std::size_t r = 0; r < regions.size(); ++r) {
    if ((why.explained->regions_full >> r & 1U) != 0) all.push_back(regions[r]);
  }
  return all;
}

}  // namespace

ordered_json why_json(const WhyWaits& why, TimePoint now) {
  if (why.explained == nullptr || why.rules == nullptr) return nullptr;
  const wire::Explained& explained = *why.explained;
  const Duration ago = now - why.at;
  return {{"ago_ms", std::chrono::duration_cast<milliseconds>(ago).count()},
          {"requests", explained.tickets},
          {"rooms", explained.rooms},
          {"acceptable", explained.meets},
          {"refused", refused_json(why)},
          {"nearest", nearest_json(why, ago)},
          {"players_missing", explained.players_missing},
          {"enough_in_ms", left_json(explained.enough_in, ago)},
          {"roles_missing", roles_json(why)},
          {"regions_full", full_json(why)}};
}

void show_why(const ApiCall& call) {
  const TimePoint now = call.context.now();
  auto known = call.desk.intake().caller_of(call.request, call.responder.client(), now);
  if (auto* refusal = std::get_if<net::HttpAnswer>(&known)) return call.answer(std::move(*refusal));
  const CountedAs asks = counted_as(std::get<Caller>(known), client_of(call.responder.client()));
  const auto id = percent_decoded(call.parameters[0]);
  const auto waiting = id ? call.desk.find_waiting(asks, *id) : std::nullopt;
  if (!waiting) {
    return call.answer(
        not_found("no request of this caller with that X-Request-Id waits at this master; only the "
                  "master that took the request knows it"));
  }
  const auto why = call.core.why(waiting->ticket);
  call.desk.ask_why(waiting->ticket);
  const CapacityLack lack = capacity_lack(call.core.directory(), waiting->mode);
  const bool room = lack == CapacityLack::workers_slow;  // a worker can start a room now
  const ordered_json page{
      {"request_id", *id},
      {"mode", waiting->mode.text()},
      {"waited_ms", std::chrono::duration_cast<milliseconds>(now - waiting->since).count()},
      {"why", why ? why_json(*why, now) : ordered_json(nullptr)},
      {"no_capacity", room ? ordered_json(nullptr) : ordered_json(std::string{to_string(lack)})}};
  call.answer(
      {.status = 200, .body = page.dump(-1, ' ', false, ordered_json::error_handler_t::replace)});
}

void show_mode_statistics(const ApiCall& call) {
  const auto name = percent_decoded(call.parameters[0]);
  const auto& modes = call.desk.intake().modes();
  const auto mode = std::find_if(modes.begin(), modes.end(), [&](const Mode& each) {
    return name && each.name.text() == *name;
  });
  if (mode == modes.end()) return call.answer(not_found("GET /v1/modes lists the modes"));
  call.answer({.status = 200,
               .body = call.desk.mode_statistics(static_cast<std::size_t>(mode - modes.begin()),
                                                 call.core.counters(), call.context.now())});
}

}  // namespace fixkeep::master
