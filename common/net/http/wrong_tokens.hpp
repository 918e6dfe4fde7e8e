// WrongTokens counts how often clients have named a wrong token, so that a client that guesses is
// slowed and told of.
//
// Of a client that has named `free` wrong ones within `window`, every further one until its end is
// too many: it is told when the window ends, and loses its connection, so each guess costs it a
// connection and, with HTTPS, a handshake. A right token is none of this class's business: it is
// looked at first, whoever else has the address, as behind a proxy. So the length of a token is
// what keeps it from being guessed, and not this.
// Thread rule: one owner. Reads no clock. Bounds: `clients` of clients; when there are more, the
// one whose window began first is forgotten. Errors: none.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>

#include "common/base/time.hpp"

namespace fixkeep::net {

class WrongTokens {
 public:
  static constexpr std::uint32_t free = 5;
  static constexpr std::chrono::seconds window{60};
  static constexpr std::size_t clients = 256;  // addresses, or networks of IPv6

  // One more. How long its client has to wait before the next; zero: it need not.
  [[nodiscard]] std::chrono::seconds add(const boost::asio::ip::address& client, TimePoint now);

  [[nodiscard]] std::uint64_t count() const { return count_; }  // so far, of all

 private:
  struct Client {
    TimePoint since;
    std::uint32_t wrong = 0;  // in the window that began then
  };

  std::map<boost::asio::ip::address, Client> clients_;  // by client_network()
  std::uint64_t count_ = 0;
};

}  // namespace fixkeep::net
