// Examines masters: their links to each other, and whether their rules are equal.

#include <fmt/format.h>

#include <algorithm>

#include "ctl/doctor/cluster.hpp"

namespace fixkeep::ctl {

using nlohmann::json;

// Matches list entries by name if they have names: "modes[duel].capacity".
void differing(const json& a, const json& b, const std::string& place, std::set<std::string>& all) {
  const auto by_name = [](const json& list) {
    std::map<std::string, json> entries;
    for (const json& entry : list) entries.emplace(text_at(entry, "/name"), entry);
    return entries;
  };
  const auto each = [&](const auto& mine, const auto& theirs, const auto& inner) {
    for (const auto& [key, value] : mine) {
      const auto other = theirs.find(key);
      if (other == theirs.end()) {
        all.insert(inner(key));
      } else {
        differing(value, other->second, inner(key), all);
      }
    }
    for (const auto& [key, value] : theirs) {
      if (!mine.contains(key)) all.insert(inner(key));
    }
  };
  if (a == b) return;
  if (a.is_object() && b.is_object()) {
    const auto inner = [&](const std::string& key) { return place + '.' + key; };
    each(a.get<std::map<std::string, json>>(), b.get<std::map<std::string, json>>(), inner);
  } else if (a.is_array() && b.is_array() && by_name(a).size() == a.size() &&
             by_name(b).size() == b.size() && a.size() + b.size() > 2) {
    const auto inner = [&](const std::string& key) { return place + '[' + key + ']'; };
    each(by_name(a), by_name(b), inner);
    if (all.empty()) all.insert(place);  // the lists differ only in the order of entries
  } else {
    all.insert(place);
  }
}

std::string first_of(const std::set<std::string>& words) {
  constexpr std::size_t most = 5;
  std::string text;
  std::size_t told = 0;
  for (const auto& word : words) {
    if (told++ == most) return text + fmt::format(" and {} more", words.size() - most);
    text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

namespace {

// Settings that must be equal at all masters: otherwise masters decide differently in the same
// case.
constexpr std::array one_for_all{"/configuration/lock", "/configuration/matching",
                                 "/configuration/mesh/heartbeat_timeout_ms",
                                 "/configuration/network", "/configuration/http/allowed_origins"};

std::string key_of(std::string place) {
  constexpr std::string_view root = "/configuration/";
  place.erase(0, root.size());
  std::ranges::replace(place, '/', '.');
  return place;
}

void examine_settings(const Patient& first, const Patient& other, std::vector<Finding>& found) {
  const auto mine = text_at(other.seen->node, "/configuration/lock/strategy");
  const auto theirs = text_at(first.seen->node, "/configuration/lock/strategy");
  if (mine != theirs) {
    found.push_back(
        {Weight::problem, "lock-differs", other.name,
         fmt::format("its lock is \"{}\", but {} has \"{}\": they do not exclude each other", mine,
                     first.name, theirs),
         "give all masters the same lock.strategy, and restart them together"});
    return;
  }
  std::set<std::string> keys;
  for (const char* place : one_for_all) {
    differing(at(first.seen->node, place), at(other.seen->node, place), key_of(place), keys);
  }
  for (const std::string& key : keys) {
    std::string place = "/configuration/" + key;
    std::ranges::replace(place, '.', '/');
    found.push_back(
        {Weight::warning, "setting-differs", other.name,
         fmt::format("{} is {}, at {} {}", key, at(other.seen->node, place.c_str()).dump(),
                     first.name, at(first.seen->node, place.c_str()).dump()),
         "give all masters the same"});
  }
}

// Compares how two masters check identities. Different checks are a mistake: a client can choose
// the master with the weaker checks.
void examine_identity(const Patient& first, const Patient& other, std::vector<Finding>& found) {
  constexpr auto place = "/configuration/identity";
  std::set<std::string> keys;
  differing(at(first.seen->node, place), at(other.seen->node, place), "identity", keys);
  if (keys.empty()) return;
  found.push_back(
      {Weight::problem, "identity-differs", other.name,
       fmt::format("{} differ from {}'s: a player refused at one master is taken at the other",
                   first_of(keys), first.name),
       "give all masters the same identity"});
}

void examine_mesh(const Patient& first, const Patient& other, std::vector<Finding>& found) {
  const char* const place = "/configuration/mesh/masters";
  const auto theirs = masters_in(list_at(first.seen->node, place));
  const auto mine = masters_in(list_at(other.seen->node, place));
  if (mine == theirs) return;
  const auto told = [](const auto& list) {
    std::string text;
    for (const auto& [name, address] : list) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, address);
    }
    return text;
  };
  found.push_back(
      {Weight::problem, "mesh-differs", other.name,
       fmt::format("its mesh.masters are {}, but {} has {}", told(mine), first.name, told(theirs)),
       "give all masters the same mesh.masters"});
}

void examine_links(const Patient& master, std::vector<Finding>& found) {
  for (const json& link : list_at(master.seen->node, "/masters")) {
    if (at(link, "/up") == true) continue;
    const auto trouble = text_at(link, "/trouble");
    found.push_back({Weight::problem, "master-away", master.name,
                     fmt::format("has no link to {}: {}", text_at(link, "/master"),
                                 trouble.empty() ? "it has not been heard of" : trouble),
                     "see whether it runs, and is reached at its address of mesh.masters"});
  }
  for (const json& copy : list_at(master.seen->node, "/refused_copies")) {
    found.push_back(
        {Weight::problem, "copied-node", master.name,
         fmt::format("refuses another {} at {}, since one has a link: {} times",
                     text_at(copy, "/node"), text_at(copy, "/host"), number_at(copy, "/times")),
         "give each node a name of its own (worker.id, master.id), or end one of the two"});
  }
  for (const json& node : list_at(master.seen->node, "/refused_versions")) {
    found.push_back(
        {Weight::problem, "other-protocol", master.name,
         fmt::format("refuses {} at {}, which speaks version {} of the protocol, and it "
                     "version {}: {} times",
                     text_at(node, "/node"), text_at(node, "/host"), number_at(node, "/speaks"),
                     number_at(master.seen->node, "/speaks"), number_at(node, "/times")),
         "bring both to one version: docs/change.md, Upgrading a cluster"});
  }
  for (const json& reason : list_at(master.seen->ready, "/reasons")) {
    if (text_at(reason, "/reason") == "lock-server-away") {
      found.push_back({Weight::problem, "lock-server-away", master.name, text_at(reason, "/detail"),
                       "see whether lock.servers run there"});
    }
    if (text_at(reason, "/reason") == "joining") {
      found.push_back({Weight::problem, "joining", master.name, text_at(reason, "/detail"),
                       "wait, or start what is missing"});
    }
  }
}

void examine_who_is_asked(const Cluster& cluster, std::vector<Finding>& found) {
  std::map<std::string, std::string> missing;
  for (const Patient& master : cluster.masters) {
    missing.merge(masters_in(list_at(master.seen->node, "/configuration/mesh/masters")));
  }
  for (const Patient& worker : cluster.workers) {
    missing.merge(masters_in(list_at(worker.seen->node, "/configuration/masters")));
  }
  std::set<std::string> workers;
  for (const Patient& master : cluster.masters) {
    for (const json& worker : list_at(master.seen->workers, "/workers")) {
      workers.insert(text_at(worker, "/worker"));
    }
  }
  for (const Patient& node : cluster.all()) {
    missing.erase(node.name);
    workers.erase(node.name);
  }
  for (const auto& [name, address] : missing) workers.insert(name);
  if (workers.empty()) return;
  found.push_back({Weight::advice, "not-asked", "",
                   fmt::format("{} {} in the cluster, and not asked", quoted(workers),
                               workers.size() == 1 ? "is" : "are"),
                   "name their listeners for operators by --admin, too"});
}

void examine_ports(const Patient& node, std::vector<Finding>& found) {
  for (const json& key : list_at(node.seen->node, "/ports_given_to_connections")) {
    found.push_back(
        {Weight::warning, "port-of-connections", node.name,
         fmt::format("{} is in net.ipv4.ip_local_port_range of its machine: a connection "
                     "may have the port just when the node starts",
                     key.is_string() ? key.get<std::string>() : key.dump()),
         "take a port outside, or name it in net.ipv4.ip_local_reserved_ports"});
  }
}

}  // namespace

void examine_masters(const Cluster& cluster, std::vector<Finding>& found) {
  for (const Patient& master : cluster.masters) {
    if (master.seen != cluster.masters.front().seen) {
      examine_settings(cluster.masters.front(), master, found);
      examine_identity(cluster.masters.front(), master, found);
      examine_mesh(cluster.masters.front(), master, found);
    }
    examine_links(master, found);
    if (text_at(master.seen->node, "/configuration/lock/strategy") == "none") {
      found.push_back({Weight::warning, "no-lock", master.name,
                       "without a lock masters make rooms that are not needed",
                       "set lock.strategy to \"multiphase\""});
    }
  }
  for (const Patient& node : cluster.all()) examine_ports(node, found);
  examine_who_is_asked(cluster, found);
}

}  // namespace fixkeep::ctl
