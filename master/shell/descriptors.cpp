#include "master/shell/descriptors.hpp"

#include <algorithm>

#include "common/net/descriptor_budget.hpp"

namespace fixkeep::master {
namespace {

// No engine uses more descriptors. etcd's engine has 10 connections, including the watch. Other
// engines have one or two connections for each server.
constexpr std::size_t engine_descriptors = 20;
constexpr std::size_t least_workers = 1;
constexpr std::size_t least_handshakes = 2;
constexpr std::size_t handshake_part = 4;

}  // namespace

std::string fit_descriptors(Settings& settings, std::size_t limit) {
  const Settings before = settings;
  auto& links = settings.links;
  const auto least_links = settings.masters.size() + least_workers + least_handshakes;
  const auto wanted_links = std::max(links.links + links.pending_handshakes, least_links);
  const auto http = net::http_use(settings.http);
  const auto fixed =
      net::fixed_descriptors + (settings.engine.servers.empty() ? 0 : engine_descriptors);
  const auto admin =
      settings.admin.http.port == 0 ? net::DescriptorUse{} : net::http_use(settings.admin.http);
  const auto shares = net::share_descriptors(limit > fixed ? limit - fixed : 0,
                                             {{wanted_links, least_links}, http, admin});
  if (shares.empty()) {
    return net::too_few_descriptors(limit, fixed + least_links + http.least + admin.least);
  }
  if (shares[0] < wanted_links) {
    links.pending_handshakes =
        std::min(links.pending_handshakes, std::max(least_handshakes, shares[0] / handshake_part));
    links.links = shares[0] - links.pending_handshakes;
  }
  net::fit_http(settings.http, shares[1]);
  if (settings.admin.http.port != 0) net::fit_http(settings.admin.http, shares[2]);
  net::warn_if_lowered("links", before.links.links, links.links, limit);
  net::warn_if_lowered("http.connections", before.http.connections, settings.http.connections,
                       limit);
  return {};
}

}  // namespace fixkeep::master
