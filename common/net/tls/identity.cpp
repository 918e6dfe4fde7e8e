#include "common/net/tls/identity.hpp"

#include <fmt/format.h>

#include "common/wire/limits.hpp"

namespace fixkeep::net {
namespace {

constexpr std::string_view scheme = "fixkeep://";

}  // namespace

std::string to_uri(const CertifiedNode& node) {
  return fmt::format("{}{}/{}/{}", scheme, node.cluster,
                     node.role == Role::master ? "master" : "worker", node.name);
}

std::optional<CertifiedNode> parse_uri(std::string_view uri) {
  if (!uri.starts_with(scheme)) return std::nullopt;
  uri.remove_prefix(scheme.size());
  const auto first = uri.find('/');
  const auto second = first == std::string_view::npos ? first : uri.find('/', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto role = uri.substr(first + 1, second - first - 1);
  CertifiedNode node{.cluster = std::string{uri.substr(0, first)},
                     .role = role == "master" ? Role::master : Role::worker,
                     .name = std::string{uri.substr(second + 1)}};
  const bool known_role = role == "master" || role == "worker";
  const bool whole = !node.cluster.empty() && !node.name.empty() &&
                     node.name.size() <= wire::limits::id_bytes &&
                     node.name.find('/') == std::string::npos;
  if (!known_role || !whole) return std::nullopt;
  return node;
}

}  // namespace fixkeep::net
