// Which address of a host is dialled when, and for how long.
//
// The addresses are tried in turn, a simple form of RFC 8305. The families alternate, beginning
// with the one that the system prefers, so that a family that leads nowhere does not come first
// with all of its addresses. Each try has its share of the time that is left: one that is silent
// leaves time for the others, and one that refuses at once leaves all of its own to them.
//
// Sans-IO. Thread rule: none of its own. Bounds: `most` addresses; the last try ends with the limit
// of the whole. Errors: none.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <deque>
#include <optional>
#include <vector>

#include "common/base/time.hpp"

namespace fixkeep::net {

class DialPlan {
 public:
  static constexpr std::size_t most = 16;
  struct Try {
    boost::asio::ip::address address;
    TimePoint until;
  };

  DialPlan() = default;
  DialPlan(const std::vector<boost::asio::ip::address>& addresses, TimePoint end);

  // Nothing: all were tried, or the time is over.
  [[nodiscard]] std::optional<Try> next(TimePoint now);

 private:
  std::deque<boost::asio::ip::address> left_;
  TimePoint end_;
};

}  // namespace fixkeep::net
