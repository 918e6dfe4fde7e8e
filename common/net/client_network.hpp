// For the limits per client, a whole /64 network of IPv6 is one client, because one customer
// usually owns all addresses of such a network.
#pragma once

#include <boost/asio/ip/address.hpp>

namespace fixkeep::net {

inline constexpr unsigned client_network_bits = 64;  // bits of an IPv6 address

// Returns the address that stands for the client. For IPv6, this is the first address of the
// network. For IPv4, this is the address itself. An IPv4 address that was mapped to IPv6 is
// returned in plain form.
[[nodiscard]] boost::asio::ip::address client_network(const boost::asio::ip::address& address);

}  // namespace fixkeep::net
