// WrongTokens counts wrong tokens of clients. A client that guesses is slowed and reported.
//
// After `free` wrong tokens within `window`, every further one until its end is too many: the
// client is told when the window ends and loses its connection. Each guess costs a connection and a
// handshake of HTTPS. A right token is accepted before this class is asked: others may share the
// address behind a proxy. Tokens are protected by their length, not by this class. Thread rule: one
// owner. Reads no clock. Bounds: `clients`; beyond it the client with the oldest window is
// forgotten. Errors: none.
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

  [[nodiscard]] std::uint64_t count() const { return count_; }  // count of all so far

 private:
  struct Client {
    TimePoint since;
    std::uint32_t wrong = 0;  // wrong tokens in the window that began then
  };

  std::map<boost::asio::ip::address, Client> clients_;  // keyed by client_network()
  std::uint64_t count_ = 0;
};

}  // namespace fixkeep::net
