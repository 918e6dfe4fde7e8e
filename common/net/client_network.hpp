// The owner of an address for limits of one client. One customer usually has a whole /64 of IPv6.
#pragma once

#include <boost/asio/ip/address.hpp>

namespace fixkeep::net {

inline constexpr unsigned client_network_bits = 64;  // bits of an IPv6 address

// An IPv4 address as it is even if it came mapped into IPv6. An IPv6 address becomes the first one
// of its network.
[[nodiscard]] boost::asio::ip::address client_network(const boost::asio::ip::address& address);

}  // namespace fixkeep::net
