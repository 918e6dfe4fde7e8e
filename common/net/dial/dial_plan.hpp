// Plans the tries to dial the addresses of a host: their order and their time.
//
// The addresses are tried in turn: a simple form of RFC 8305. The families alternate and the
// system's preferred one is first. A dead family thus does not come first with all its addresses.
// Each try has its share of the time that is left. A silent address leaves time for the others. One
// that refuses at once leaves them all of its own.
//
// Sans-IO. Thread rule: the caller's. Bounds: `most` addresses; the last try ends with the limit of
// the whole. Errors: none.
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

  // No value: all were tried or the time is over.
  [[nodiscard]] std::optional<Try> next(TimePoint now);

 private:
  std::deque<boost::asio::ip::address> left_;
  TimePoint end_;
};

}  // namespace fixkeep::net
