// Returns the owner of an address, for limits per client. One customer usually has a whole /64
// network of IPv6.
#pragma once

#include <boost/asio/ip/address.hpp>

namespace fixkeep::net {

inline constexpr unsigned client_network_bits = 64;  // bits of an IPv6 address

// An IPv4 address is not changed, but its mapped form in IPv6 becomes plain IPv4. An IPv6 address
// becomes the first address of its network.
[[nodiscard]] boost::asio::ip::address client_network(const boost::asio::ip::address& address);

}  // namespace fixkeep::net
