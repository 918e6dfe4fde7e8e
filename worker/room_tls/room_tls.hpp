// Ends TLS for the port "wss" of a room: decrypts the bytes of players for the game, and encrypts
// the bytes of the game. The game itself speaks plain TCP, usually WebSocket, at its first port.
//
// The files of the certificate are looked at every `Options::look`. A new certificate serves the
// connections after it. While the new files are wrong, the earlier certificate stays in use.
// Invariants: 1. the game sees no connection before its handshake is done.
//             2. a client with fewer connections than another loses none to others, even during a
//                handshake (connections_by_client.hpp).
// Fault model: players send any bytes, stop in a handshake or vanish; the game refuses, closes or
// stalls. Thread rule: the io_context's thread. Bounds: Options::most connections, 16 KiB each way,
// `patience` for a handshake and for the game to end a connection that its player has ended.
// Errors: open() returns a sentence; a connection with an error is closed.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "common/net/http/connections_by_client.hpp"
#include "common/net/tls/https_certificate.hpp"

namespace fixkeep::worker {

class RoomTls {
 public:
  struct Options {
    int listener = -1;       // a listening socket, which the object closes
    std::uint16_t game = 0;  // the game's port, on the loopback device
    net::HttpsFiles files;
    std::size_t most = 1'000;
    std::chrono::milliseconds look{2'000};
    std::chrono::milliseconds patience{10'000};
  };
  RoomTls(boost::asio::io_context& context, Options options);
  ~RoomTls();
  RoomTls(const RoomTls&) = delete;
  RoomTls& operator=(const RoomTls&) = delete;

  // Reads the certificate and accepts players. Returns the error, or an empty text.
  [[nodiscard]] std::string open();

 private:
  struct Connection;
  enum class Side : std::uint8_t;
  using Ours = std::shared_ptr<Connection>;
  using Clients = net::ConnectionsByClient<Connection*>;
  struct Places {  // outlives each connection
    Clients clients;
    std::size_t open = 0;
  };

  boost::asio::awaitable<void> accept();
  boost::asio::awaitable<void> look_for_renewals();
  [[nodiscard]] bool has_place(const boost::asio::ip::address& newcomer);
  boost::asio::awaitable<void> serve(Ours connection);
  static boost::asio::awaitable<void> hear_game(Ours connection);
  boost::asio::awaitable<bool> reach_game(Ours connection) const;

  boost::asio::io_context& context_;
  Options options_;
  boost::asio::ip::tcp::acceptor acceptor_;
  std::shared_ptr<net::HttpsCertificate> certificate_;
  std::shared_ptr<Places> places_ = std::make_shared<Places>();
};

}  // namespace fixkeep::worker
