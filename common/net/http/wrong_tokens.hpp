// WrongTokens counts clients' wrong tokens. A client that guesses is slowed and reported.
//
// A window of one minute begins with a wrong token. The first five wrong tokens of a window
// (`free`) have no consequence. The answer to each further one tells the client to wait until the
// window ends, and the connection is closed. So each guess costs a connection and a handshake of
// HTTPS. A correct token is accepted without a question to this class, because several clients
// behind a proxy may share one address. Tokens are protected by their length, not by this class.
// Thread rule: one owner. Reads no clock. Bounds: at most `clients` clients; a new client above
// this number replaces the client with the oldest window. Errors: none.
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
  static constexpr std::size_t clients = 256;  // addresses, or /64 networks of IPv6

  // Counts a wrong token. Returns how long the client must wait before its next attempt; zero: no
  // wait.
  [[nodiscard]] std::chrono::seconds add(const boost::asio::ip::address& client, TimePoint now);

  [[nodiscard]] std::uint64_t count() const { return count_; }  // all wrong tokens so far

 private:
  struct Client {
    TimePoint since;
    std::uint32_t wrong = 0;  // wrong tokens since then
  };

  std::map<boost::asio::ip::address, Client> clients_;  // keyed by client_network()
  std::uint64_t count_ = 0;
};

}  // namespace fixkeep::net
