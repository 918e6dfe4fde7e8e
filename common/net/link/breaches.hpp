// Nodes that broke the protocol: they sent bytes that are no message or a frame beyond all limits.
//
// The link is closed but the node would dial again at once and repeat itself. Each time costs a
// handshake, log lines and news for all. It is kept out for one second at first and twice as long
// each further time up to a minute. A minute after its time is over its record is clean. Thread
// rule: one owner. Reads no clock. Bounds: `most` nodes; beyond it the one with the earliest end is
// forgotten. Errors: none.
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

  // A link of the node ended for this reason; most reasons are no breach.
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

  // Why the node is kept out now; nothing: it is not.
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
