// Examines whether masters can reach the workers, whether players can reach the games, and which
// modes the workers run.

#include <fmt/format.h>

#include <algorithm>

#include "common/config/address.hpp"
#include "common/config/suggestion.hpp"
#include "ctl/doctor/cluster.hpp"

namespace fixkeep::ctl {
namespace {

using nlohmann::json;

void examine_links(const Cluster& cluster, const Patient& worker, std::vector<Finding>& found) {
  const auto known = masters_in(list_at(worker.seen->node, "/configuration/masters"));
  std::map<std::string, std::string> all;
  for (const Patient& master : cluster.masters) {
    all.merge(masters_in(list_at(master.seen->node, "/configuration/mesh/masters")));
  }
  for (const auto& [master, address] : all) {
    if (known.contains(master)) continue;
    found.push_back({Weight::problem, "worker-lacks-master", worker.name,
                     fmt::format("does not know {}, which gets no room of it", master),
                     fmt::format("add {} at {} to its masters", master, address)});
  }
  for (const json& link : list_at(worker.seen->node, "/masters")) {
    if (at(link, "/up") == true) continue;
    const auto trouble = text_at(link, "/trouble");
    found.push_back({Weight::problem, "worker-away", worker.name,
                     fmt::format("has no link to {}: {}", text_at(link, "/master"),
                                 trouble.empty() ? "it has not been heard of" : trouble),
                     "compare cluster.id, secret and masters of the worker with that master's"});
  }
}

void examine_journal(const Patient& worker, std::vector<Finding>& found) {
  if (at(worker.seen->node, "/journal_is_whole") != false) return;
  found.push_back({Weight::problem, "journal-not-written", worker.name,
                   "cannot write its journal: after a restart, its rooms take no new players",
                   "see in its log why; often the disk of worker.state_folder is full"});
}

void examine_machine(const Cluster& cluster, const Patient& worker, std::vector<Finding>& found) {
  const json& configuration = at(worker.seen->node, "/configuration");
  const auto first = number_at(configuration, "/rooms/ports/first");
  const auto ports = number_at(configuration, "/rooms/ports/last") - first + 1;
  const auto rooms = number_at(configuration, "/rooms/limit");
  std::int64_t each = 1;
  for (const json& game : list_at(configuration, "/games")) {
    each = std::max(each, 1 + static_cast<std::int64_t>(list_at(game, "/ports").size()) +
                              number_at(game, "/neighbour_ports"));
  }
  if (first != 0 && ports / each < rooms) {
    found.push_back({Weight::warning, "ports-too-few", worker.name,
                     fmt::format("may have {} rooms, and has ports for {}", rooms, ports / each),
                     "widen rooms.ports, or lower rooms.limit"});
  }
  const auto elsewhere = [](const Patient& master) {
    const auto all = masters_in(list_at(master.seen->node, "/configuration/mesh/masters"));
    return std::ranges::any_of(all, [](const auto& each) {
      const auto address = config::parse_address(each.second);
      return address && !is_loopback(address->host);
    });
  };
  const auto address = text_at(configuration, "/worker/address");
  if (is_loopback(address) && std::ranges::any_of(cluster.masters, elsewhere)) {
    found.push_back({Weight::problem, "loopback-address", worker.name,
                     fmt::format("players are sent to {}, which is their own machine", address),
                     "set worker.address to what players reach"});
  }
}

// Reports a full worker. The remedy depends on `queued`: while rooms wait for their start, a higher
// limit would only add waiting rooms.
Finding full(const std::string& worker, std::int64_t queued) {
  if (queued == 0) {
    return {Weight::warning, "worker-full", worker, "has no room for another room",
            "raise rooms.limit or rooms.memory_mib, widen rooms.ports, or add a worker"};
  }
  return {Weight::warning, "worker-full", worker,
          fmt::format("has no room for another room: {} {} to be started", queued,
                      queued == 1 ? "room waits" : "rooms wait"),
          "see in its log whether its engine or API server answers; raise no limit before"};
}

// Reads the workers' states from the masters' reports. Several masters report the same state, so
// each finding is added only once.
void examine_states(const Cluster& cluster, std::vector<Finding>& found) {
  std::set<std::string> told;
  for (const Patient& master : cluster.masters) {
    for (const json& worker : list_at(master.seen->workers, "/workers")) {
      const auto name = text_at(worker, "/worker");
      for (const json& pause : list_at(worker, "/paused")) {
        const auto mode = text_at(pause, "/mode");
        const auto cause = text_at(pause, "/cause");
        if (!told.insert(name + " " + mode + " " + cause).second) continue;
        const bool drained = cause == "drained";
        const auto reason = text_at(pause, "/reason");
        found.push_back({drained ? Weight::warning : Weight::problem,
                         drained ? "mode-drained" : "mode-failing", name,
                         fmt::format("starts no rooms of \"{}\"{}{}", mode,
                                     drained ? ": it was told to" : ": its games do not come up",
                                     reason.empty() || drained ? "" : ": " + reason),
                         drained ? "fixkeepctl resume " + name + ", when that is over"
                                 : "fixkeepctl log ROOM, and the worker's log, say why"});
      }
      for (const json& slow : list_at(worker, "/not_ready")) {
        const auto mode = text_at(slow, "/mode");
        if (!told.insert(name + " " + mode + " slow").second) continue;
        found.push_back({Weight::warning, "not-ready", name,
                         fmt::format("rooms of \"{}\" start and are not ready: {}", mode,
                                     text_at(slow, "/reason")),
                         "fixkeepctl log ROOM, and the worker's log, say more"});
      }
      if (text_at(worker, "/headroom") == "0" && list_at(worker, "/paused").empty() &&
          told.insert(name + " full").second) {
        found.push_back(full(name, number_at(worker, "/starts_queued")));
      }
    }
    for (const json& worker : list_at(master.seen->workers, "/quarantined")) {
      found.push_back({Weight::problem, "quarantined", text_at(worker, "/worker"),
                       fmt::format("gets {} of {}, since it {}", text_at(worker, "/gets"),
                                   master.name, text_at(worker, "/reason")),
                       "see its log, its clock and its load"});
    }
  }
}

std::set<std::string> names_at(const json& document, const char* place, const char* key) {
  std::set<std::string> names;
  for (const json& each : list_at(document, place)) names.insert(text_at(each, key));
  return names;
}

std::string meant(const std::string& word, const std::set<std::string>& known) {
  return config::suggestion(word, std::vector<std::string>{known.begin(), known.end()});
}

}  // namespace

void examine_workers(const Cluster& cluster, std::vector<Finding>& found) {
  for (const Patient& worker : cluster.workers) {
    examine_links(cluster, worker, found);
    examine_machine(cluster, worker, found);
    examine_journal(worker, found);
  }
  examine_states(cluster, found);
  if (cluster.masters.empty() || !cluster.workers.empty()) return;
  const auto sees_none = [](const Patient& master) {
    return list_at(master.seen->workers, "/workers").empty();
  };
  if (!std::ranges::all_of(cluster.masters, sees_none)) return;
  found.push_back({Weight::problem, "no-worker", "", "no worker has a link to any master",
                   "start one, or see why its links are refused in its log"});
}

void examine_modes(const Cluster& cluster, std::vector<Finding>& found) {
  if (cluster.masters.empty()) return;
  const Patient& first = cluster.masters.front();
  const json& modes = at(first.seen->node, "/configuration/modes");
  for (const Patient& master : cluster.masters) {
    const json& own = at(master.seen->node, "/configuration/modes");
    if (own == modes) continue;
    std::set<std::string> keys;
    differing(modes, own, "modes", keys);
    found.push_back({Weight::problem, "modes-differ", master.name,
                     first_of(keys) + " differ from " + first.name +
                         "'s: they make other groups of the same players, or rooms of another size",
                     "give all masters the same modes"});
  }
  for (const Patient& master : cluster.masters) {
    const json& missing = at(master.seen->node, "/next_modes/missing");
    if (!missing.is_array()) continue;
    std::set<std::string> keys;
    differing(at(master.seen->node, "/configuration/modes"),
              at(master.seen->node, "/next_modes/modes"), "modes", keys);
    std::string names;
    for (std::size_t i = 0; i < missing.size(); ++i) {
      names += (i == 0 ? "" : ", ") + text_at(missing, ("/" + std::to_string(i)).c_str());
    }
    found.push_back(
        {Weight::problem, "modes-wait", master.name,
         first_of(keys) + ": not in effect until these masters have read the same: " + names,
         "give them the same modes and send them SIGHUP"});
  }
  const auto asked = names_at(modes, "", "/name");
  std::set<std::string> played;
  for (const Patient& master : cluster.masters) {
    for (const json& worker : list_at(master.seen->workers, "/workers")) {
      for (const json& mode : list_at(worker, "/modes")) {
        if (mode.is_string()) played.insert(mode.get<std::string>());
      }
    }
  }
  for (const Patient& worker : cluster.workers) {
    for (const auto& mode : names_at(worker.seen->node, "/configuration/games", "/mode")) {
      played.insert(mode);
      if (asked.contains(mode)) continue;
      found.push_back(
          {Weight::problem, "mode-without-master", worker.name,
           fmt::format("runs \"{}\", which the masters do not have{}", mode, meant(mode, asked)),
           "correct its games[].mode, or add the mode to all masters"});
    }
  }
  for (const std::string& mode : asked) {
    if (played.contains(mode) || played.empty()) continue;
    found.push_back({Weight::problem, "mode-without-worker", "",
                     fmt::format("no worker runs \"{}\"{}", mode, meant(mode, played)),
                     "add it to the games of a worker"});
  }
}

}  // namespace fixkeep::ctl
