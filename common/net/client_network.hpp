// The owner of an address, as far as bounds for one client go: a whole /64 of IPv6 is usually given
// to one customer, and all its addresses with it.
#pragma once

#include <boost/asio/ip/address.hpp>

namespace fixkeep::net {

inline constexpr unsigned client_network_bits = 64;  // of IPv6

// An IPv4 address as it is, also where it came mapped into IPv6; of IPv6 the first address of its
// network.
[[nodiscard]] boost::asio::ip::address client_network(const boost::asio::ip::address& address);

}  // namespace fixkeep::net
