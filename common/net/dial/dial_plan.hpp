// Plans the attempts to dial the addresses of a host: their sequence and their times.
//
// The addresses are tried in turn: a simple form of RFC 8305. The address families alternate,
// starting with the family that the system prefers. Therefore a dead family delays the other family
// only by the time of one address. Each attempt gets a share of the remaining time, so a silent
// address leaves time for the others. An address that refuses immediately leaves its whole share to
// the others.
//
// Sans-IO. Thread rule: one thread at a time. Bounds: tries no more than `most` addresses; the last
// attempt ends when the total time is over. Errors: none.
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

  // Returns the next attempt. No value: all addresses were tried, or the time is over.
  [[nodiscard]] std::optional<Try> next(TimePoint now);

 private:
  std::deque<boost::asio::ip::address> left_;
  TimePoint end_;
};

}  // namespace fixkeep::net
