#include "ctl/doctor/examine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/config/address.hpp"
#include "ctl/doctor/cluster.hpp"

namespace fixkeep::ctl {
namespace {

using nlohmann::json;

constexpr std::int64_t ms_per_day = 86'400'000;
constexpr std::int64_t soon_days = 30;
// A clock is reported if it differs from the median of all nodes' clocks by more than this. Each
// master uses its own clock, and seats are reserved only for seconds.
constexpr std::int64_t clocks_apart_ms = 1'000;

std::string remedy_of(const std::string& trouble_code) {
  if (trouble_code == "token-refused") {
    return "give its admin.token_file, or a copy, by --token-file";
  }
  if (trouble_code == "not-a-node") return "give the address of its admin.port";
  return "see whether it runs, and whether its admin.address and admin.port are these";
}

void examine_answers(const std::vector<Examined>& nodes, std::vector<Finding>& found) {
  for (const Examined& node : nodes) {
    if (node.trouble_code.empty()) continue;
    found.push_back(
        {Weight::problem, node.trouble_code, node.url, node.trouble, remedy_of(node.trouble_code)});
  }
}

// Separates masters from workers. If a node was asked under two addresses, uses only one of its
// answers: otherwise every finding would appear twice.
Cluster cluster_of(const std::vector<Examined>& nodes, std::vector<Finding>& found) {
  Cluster cluster;
  for (const Examined& node : nodes) {
    if (!node.trouble_code.empty()) continue;
    auto& all = text_at(node.node, "/role") == "master" ? cluster.masters : cluster.workers;
    auto name = text_at(node.node, "/node");
    const auto other = std::ranges::find(all, name, &Patient::name);
    if (other != all.end()) {
      found.push_back(
          {Weight::problem, "asked-twice", name,
           fmt::format("{} and {} are the same node, or two of one name", other->seen->url,
                       node.url),
           "give each node a name (master.id, worker.id) and an admin.port of its own"});
      continue;
    }
    all.push_back({std::move(name), &node});
  }
  return cluster;
}

// Returns the most frequent value. If several values are equally frequent, returns the first of
// these in alphabetical order.
std::string usual(const std::vector<Patient>& nodes, const char* place) {
  std::map<std::string, int> counts;
  std::string most;
  for (const Patient& node : nodes) ++counts[text_at(node.seen->node, place)];
  for (const auto& [value, count] : counts) {
    if (most.empty() || count > counts[most]) most = value;
  }
  return most;
}

void examine_clusters(const Cluster& cluster, std::vector<Finding>& found) {
  const auto all = cluster.all();
  const auto cluster_id = usual(all, "/cluster");
  const auto version = usual(all, "/version");
  for (const Patient& node : all) {
    if (const auto mine = text_at(node.seen->node, "/cluster"); mine != cluster_id) {
      found.push_back({Weight::problem, "other-cluster", node.name,
                       fmt::format("is of cluster \"{}\", most are of \"{}\"", mine, cluster_id),
                       "give all nodes the same cluster.id"});
    }
    if (const auto mine = text_at(node.seen->node, "/version"); mine != version) {
      found.push_back({Weight::warning, "other-version", node.name,
                       fmt::format("is {}, most are {}", mine, version),
                       "bring all nodes to one version: docs/change.md, Upgrading a cluster"});
    }
  }
}

void examine_clocks(const Cluster& cluster, std::vector<Finding>& found) {
  const auto all = cluster.all();
  std::vector<std::int64_t> ahead;
  ahead.reserve(all.size());
  for (const Patient& node : all) {
    ahead.push_back(number_at(node.seen->node, "/at_ms") - node.seen->asked_at_ms);
  }
  if (ahead.empty()) return;
  auto sorted = ahead;
  std::ranges::sort(sorted);
  const auto middle = sorted[(sorted.size() - 1) / 2];
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto off = ahead[i] - middle;
    if (std::abs(off) <= clocks_apart_ms + all[i].seen->error_ms) continue;
    found.push_back({Weight::problem, "clock-differs", all[i].name,
                     fmt::format("its clock is {} ms {} most others'", std::abs(off),
                                 off > 0 ? "ahead of" : "behind"),
                     "have its machine's clock kept by NTP (timedatectl)"});
  }
}

void examine_certificates(const Cluster& cluster, std::int64_t now_ms,
                          std::vector<Finding>& found) {
  for (const Patient& node : cluster.all()) {
    for (const json& each : list_at(node.seen->node, "/certificates")) {
      const auto left = number_at(each, "/ends_ms") - now_ms;
      if (left > soon_days * ms_per_day) continue;
      const auto what = text_at(each, "/of");
      const std::string when =
          left <= 0 ? "has ended" : fmt::format("ends in {} days", left / ms_per_day);
      found.push_back({left <= 0 ? Weight::problem : Weight::warning, "certificate-ends", node.name,
                       fmt::format("its certificate for {} {}", what, when),
                       what == "links" ? "fixkeepctl certs renew, then SIGHUP to the node"
                                       : "renew the files of its tls section, then SIGHUP"});
    }
  }
}

bool is_open(const json& configuration, const char* section) {
  const std::string at_section = std::string{"/"} + section;
  const auto port = number_at(configuration, (at_section + "/port").c_str());
  const auto host = text_at(configuration, (at_section + "/address").c_str());
  const auto certificate = text_at(configuration, (at_section + "/tls/certificate").c_str());
  return port != 0 && !is_loopback(host) && certificate.empty();
}

void examine_wires(const Cluster& cluster, std::vector<Finding>& found) {
  for (const Patient& node : cluster.all()) {
    const json& configuration = at(node.seen->node, "/configuration");
    if (is_open(configuration, "admin")) {
      found.push_back({Weight::warning, "operators-without-https", node.name,
                       "anyone on the network path can read the operators' token",
                       "give admin.tls, or put it on the loopback device"});
    }
    if (is_open(configuration, "http")) {
      found.push_back({Weight::warning, "players-without-https", node.name,
                       "anyone on the network path can read players' seat tokens",
                       "give http.tls, or put something before it that speaks HTTPS"});
    }
    if (text_at(configuration, "/tls/without") == "on-a-network-that-i-trust") {
      found.push_back({Weight::advice, "links-without-tls", node.name,
                       "its links are neither secret nor safe from change",
                       "make certificates: fixkeepctl certs init"});
    }
  }
}

}  // namespace

std::string_view to_string(Weight weight) {
  switch (weight) {
    case Weight::problem: return "problem";
    case Weight::warning: return "warning";
    case Weight::advice: return "advice";
  }
  return "?";
}

const json& at(const json& document, const char* place) {
  static const json nothing;
  const json::json_pointer pointer{place};
  return document.contains(pointer) ? document[pointer] : nothing;
}

std::string text_at(const json& document, const char* place) {
  const json& found = at(document, place);
  if (found.is_null()) return {};
  return found.is_string() ? found.get<std::string>() : found.dump();
}

const json& list_at(const json& document, const char* place) {
  static const json none = json::array();
  const json& found = at(document, place);
  return found.is_array() ? found : none;
}

std::int64_t number_at(const json& document, const char* place) {
  const json& found = at(document, place);
  return found.is_number() ? found.get<std::int64_t>() : 0;
}

std::vector<Patient> Cluster::all() const {
  auto both = masters;
  both.insert(both.end(), workers.begin(), workers.end());
  return both;
}

std::map<std::string, std::string> masters_in(const json& list) {
  std::map<std::string, std::string> names;
  for (const json& each : list) {
    names.emplace("m" + text_at(each, "/id"), text_at(each, "/address"));
  }
  return names;
}

std::string quoted(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "\"" : ", \"") + word + "\"";
  return text;
}

bool is_loopback(const std::string& host) {
  return host.empty() || host == "localhost" || host == "::1" || host.starts_with("127.");
}

std::vector<Finding> examine(const std::vector<Examined>& nodes, std::int64_t now_ms) {
  std::vector<Finding> found;
  examine_answers(nodes, found);
  const auto cluster = cluster_of(nodes, found);
  examine_clusters(cluster, found);
  examine_clocks(cluster, found);
  examine_masters(cluster, found);
  examine_workers(cluster, found);
  examine_modes(cluster, found);
  examine_certificates(cluster, now_ms, found);
  examine_wires(cluster, found);
  std::ranges::stable_sort(found, {}, &Finding::weight);
  return found;
}

}  // namespace fixkeep::ctl
