#include "common/net/client_network.hpp"

#include <algorithm>
#include <cstdint>

namespace fixkeep::net {

boost::asio::ip::address client_network(const boost::asio::ip::address& address) {
  using boost::asio::ip::address_v4;
  using boost::asio::ip::address_v6;
  if (address.is_v4()) return address;
  const address_v6 v6 = address.to_v6();
  auto bytes = v6.to_bytes();
  if (v6.is_v4_mapped()) return address_v4{{bytes[12], bytes[13], bytes[14], bytes[15]}};
  std::fill(bytes.begin() + client_network_bits / 8, bytes.end(), std::uint8_t{0});
  return address_v6{bytes};
}

}  // namespace fixkeep::net
