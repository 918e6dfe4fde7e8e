// Nodes that broke the protocol: they sent malformed messages, or a frame above all limits.
//
// The link is closed, but the node would immediately dial again and repeat its mistake. Each
// attempt costs a handshake, log lines and reports to all. Therefore the node is kept out: for one
// second the first time, and twice as long each further time, up to a minute. A breach more than
// one minute after the node was allowed to return counts as the first. Thread rule: one owner.
// Reads no clock. Bounds: at most `most` nodes; a further node replaces the node that is allowed to
// return first. Errors: none.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/net/node.hpp"

namespace fixkeep::net {

class Breaches {
 public:
  static constexpr Duration first = std::chrono::seconds{1};
  static constexpr Duration longest = std::chrono::minutes{1};
  using Key = std::pair<Role, std::string>;

  explicit Breaches(std::size_t most) : most_(most) {}

  // Reports the end of a node's link. Most reasons are no breach.
  void ended(const Key& node, boost::system::error_code reason, TimePoint now) {
    if (reason != Errc::malformed_message && reason != Errc::frame_too_large) return;
    std::erase_if(breaches_, [&](const auto& each) { return each.second.until + longest < now; });
    const auto known = breaches_.find(node);
    const bool again = known != breaches_.end();
    if (!again && breaches_.size() >= most_) {
      breaches_.erase(std::min_element(
          breaches_.begin(), breaches_.end(),
          [](const auto& a, const auto& b) { return a.second.until < b.second.until; }));
    }
    const Duration out = again ? std::min(known->second.out * 2, longest) : first;
    breaches_[node] = {now + out, out, static_cast<Errc>(reason.value())};
  }

  // Returns the reason to keep the node out now. No value: the node is not kept out.
  [[nodiscard]] std::optional<Errc> of(const Key& node, TimePoint now) const {
    const auto found = breaches_.find(node);
    if (found == breaches_.end() || found->second.until <= now) return std::nullopt;
    return found->second.why;
  }

 private:
  struct Breach {
    TimePoint until;
    Duration out{};
    Errc why{};
  };
  std::size_t most_;
  std::map<Key, Breach> breaches_;
};

}  // namespace fixkeep::net
