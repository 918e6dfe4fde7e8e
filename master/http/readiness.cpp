#include "master/http/readiness.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "master/http/problem_member.hpp"

namespace fixkeep::master {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view open_to_all = "open";

bool differs(const ReadinessFacts& facts, const ReadinessFacts::Other& other) {
  return other.up && !other.admits.empty() && other.admits != facts.admits;
}

// Masters that accept the same players.
struct Camp {
  std::size_t masters = 0;
  std::string first{};  // the master with the lowest number

  void add(const std::string& name) {
    if (masters++ == 0 || is_before(name, first)) first = name;
  }
  [[nodiscard]] bool counts_more(const Camp& than) const {
    if (masters != than.masters) return masters > than.masters;
    return is_before(first, than.first);
  }
  // Orders names by number: "m2" is before "m10".
  static bool is_before(const std::string& one, const std::string& other) {
    return std::pair{one.size(), one} < std::pair{other.size(), other};
  }
};

bool takes_other_players(const ReadinessFacts& facts) {
  std::map<std::string_view, Camp> camps;
  camps[facts.admits].add(facts.self);
  for (const auto& other : facts.others) {
    if (!other.up || other.admits.empty()) continue;
    if (facts.admits == open_to_all && other.admits != open_to_all) return true;
    // Masters that are open to all never outvote a master that is not open.
    if (other.admits != open_to_all || facts.admits == open_to_all) {
      camps[other.admits].add(other.name);
    }
  }
  const Camp& own = camps[facts.admits];
  return std::any_of(camps.begin(), camps.end(), [&](const auto& camp) {
    return &camp.second != &own && camp.second.counts_more(own);
  });
}

ordered_json reasons_of(const ReadinessFacts& facts, bool alone) {
  auto reasons = ordered_json::array();
  if (facts.ending) {
    reasons.push_back({{"reason", "stopping"}, {"detail", "it was asked to end"}});
  }
  if (!facts.joined) {
    reasons.push_back({{"reason", "joining"},
                       {"detail", facts.awaits_lock_server
                                      ? "it has not reached the servers that have the locks "
                                        "(lock.servers) yet"
                                      : "it has not met every configured master and worker yet"}});
  }
  if (alone) {
    reasons.push_back({{"reason", "alone"}, {"detail", "no other master has a link to this one"}});
  }
  for (const auto& other : facts.others) {
    if (other.up) continue;
    reasons.push_back(
        {{"reason", "master-away"},
         {"master", other.name},
         {"detail", other.trouble.empty() ? "it has not been heard of" : other.trouble}});
  }
  for (const auto& other : facts.others) {
    if (!differs(facts, other)) continue;
    reasons.push_back(
        {{"reason", "identity-differs"},
         {"master", other.name},
         {"detail", facts.admits == open_to_all
                        ? "the other master needs tokens or keys, and this one is open"
                    : other.admits == open_to_all
                        ? "the other master is open, and this one needs tokens or keys"
                        : "the other master's identity.tokens differs from this one's"}});
  }
  if (facts.workers == 0) {
    reasons.push_back({{"reason", "no-worker"}, {"detail", "no worker has a link to this master"}});
  }
  if (!facts.locks_reachable) {
    reasons.push_back({{"reason", "lock-server-away"},
                       {"detail", facts.lock_trouble.empty() ? "not enough of lock.servers answer"
                                                             : facts.lock_trouble}});
  }
  return reasons;
}

net::HttpAnswer not_ready(std::string_view title, std::string_view detail, ordered_json reasons) {
  return retry_in(
      1, with_member(net::problem(503, "not-ready", title, detail), "reasons", std::move(reasons)));
}

}  // namespace

net::HttpAnswer readiness(const ReadinessFacts& facts) {
  const bool alone =
      !facts.others.empty() && std::none_of(facts.others.begin(), facts.others.end(),
                                            [](const auto& other) { return other.up; });
  auto reasons = reasons_of(facts, alone);
  if (facts.ending) {
    return not_ready("This master ends", "it serves for http.stop_delay_ms more",
                     std::move(reasons));
  }
  if (!facts.joined) {
    return not_ready("This master is still joining",
                     facts.awaits_lock_server
                         ? "it has not reached the servers that have the locks yet; see reasons"
                         : "it has not met every configured master yet; see reasons",
                     std::move(reasons));
  }
  if (takes_other_players(facts)) {
    return not_ready("This master takes other players than its peers",
                     "its identity differs from theirs; see reasons", std::move(reasons));
  }
  if (alone && facts.required.mesh) {
    return not_ready("This master is cut off from all others",
                     "http.ready_requires has \"mesh\"; see reasons", std::move(reasons));
  }
  if (facts.workers == 0 && facts.required.workers) {
    return not_ready("This master sees no worker",
                     "http.ready_requires has \"workers\"; see reasons", std::move(reasons));
  }
  const ordered_json document{{"status", "ready"}, {"reasons", std::move(reasons)}};
  return {.status = 200,
          .body = document.dump(-1, ' ', false, ordered_json::error_handler_t::replace)};
}

}  // namespace fixkeep::master
