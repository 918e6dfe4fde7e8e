#include "common/net/descriptor_budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "common/obs/log.hpp"

namespace fixkeep::net {
namespace {

constexpr std::size_t least_http = 4;  // one of these is for refusals
constexpr std::size_t turned_away_part = 4;

}  // namespace

std::vector<std::size_t> share_descriptors(std::size_t descriptors,
                                           const std::vector<DescriptorUse>& uses) {
  std::vector<std::size_t> shares;
  shares.reserve(uses.size());
  for (const auto& use : uses) shares.push_back(use.least);
  const auto least = std::accumulate(shares.begin(), shares.end(), std::size_t{0});
  if (least > descriptors) return {};
  auto left = descriptors - least;
  // In each turn the lowest shares grow, until nothing is left. A share stops at its wanted number.
  for (;;) {
    std::vector<std::size_t> growing;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      if (shares[i] < uses[i].wanted) growing.push_back(i);
    }
    if (growing.empty() || left == 0) return shares;
    const auto lowest = *std::min_element(growing.begin(), growing.end(),
                                          [&](auto a, auto b) { return shares[a] < shares[b]; });
    // The lowest shares grow up to `level`: the next higher share, or the least number that one of
    // them wants.
    std::vector<std::size_t> rising;
    std::size_t level = uses[lowest].wanted;
    for (const auto i : growing) {
      if (shares[i] == shares[lowest]) {
        rising.push_back(i);
        level = std::min(level, uses[i].wanted);
      } else {
        level = std::min(level, shares[i]);
      }
    }
    const auto from = shares[lowest];
    auto step = std::min(level - from, left / rising.size());
    for (const auto i : rising) {
      const auto more = step > 0 ? step : std::min<std::size_t>(left, 1);
      shares[i] += more;
      left -= more;
    }
  }
}

DescriptorUse http_use(const HttpOptions& options) {
  const auto wanted = options.connections + options.turned_away;
  return {wanted, std::min(wanted, least_http)};
}

void fit_http(HttpOptions& options, std::size_t share) {
  if (share >= options.connections + options.turned_away) return;
  options.turned_away =
      std::min(options.turned_away, std::max<std::size_t>(share / turned_away_part, 1));
  options.connections = share - options.turned_away;
}

std::string too_few_descriptors(std::size_t limit, std::size_t needed) {
  return fmt::format(
      "the limit of open file descriptors is {} and {} are needed at the least; raise it (ulimit "
      "-n, LimitNOFILE= of the service)",
      limit, needed);
}

void warn_if_lowered(std::string_view key, std::size_t from, std::size_t to, std::size_t limit) {
  if (from == to) return;
  obs::log_warning("lowered: too few file descriptors",
                   {{"key", key}, {"from", from}, {"to", to}, {"descriptors", limit}});
}

}  // namespace fixkeep::net
