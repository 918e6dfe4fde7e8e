// The relay runs beside a game that has a loopback device of its own, as in a pod. It listens at
// the ports that Agones' clients dial. For each connection, it sends the worker a greeting that
// names the room (greeting.hpp). Then it forwards the bytes, which it does not interpret.
//
// A process that can reach the loopback device belongs to the room and needs no token. The worker
// recognises the relay by the room's token. The connection between relay and worker is not
// encrypted: an eavesdropper can act for this one room until the room ends.
//
// Fault model: while the worker restarts, a connection waits for it. If the worker never returns,
// the relay ends, because a running container would prevent the end of its pod. A game may use its
// SDK while the game ends. So a relay that must end waits until no connection is open.
// Thread rule: one io_context and one thread. Bounds: `most_connections` (further connections wait
// in the backlog); two buffers of `piece_bytes` each; a connection waits for the worker at most
// `worker_limit`.
// Errors of open(): the ports are taken.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace fixkeep::worker {

struct RelayOptions {
  struct Door {
    std::uint16_t port = 0;  // port of the loopback device; 0: any
    std::string transport;
  };
  std::vector<Door> doors;
  std::string worker_host;
  std::uint16_t worker_port = 0;
  std::string room;
  std::string token;
  // The relay ends if it could not reach the worker for this long.
  std::chrono::milliseconds alone{std::chrono::hours{1}};
};

class SdkRelay {
 public:
  static constexpr std::size_t most_connections = 128;
  static constexpr std::size_t piece_bytes = std::size_t{16} << 10U;
  static constexpr std::chrono::seconds worker_limit{30};
  static constexpr std::chrono::milliseconds between_tries{250};
  static constexpr std::chrono::seconds between_looks{20};   // interval of checks for the worker
  static constexpr std::chrono::milliseconds farewell{500};  // time for a game's last calls

  // After end() or after the loss of the worker, `ended` is called when the time `farewell` is over
  // and no connection is open.
  SdkRelay(boost::asio::io_context& context, RelayOptions options, std::function<void()> ended);
  SdkRelay(const SdkRelay&) = delete;
  SdkRelay& operator=(const SdkRelay&) = delete;

  // Starts to listen and returns. The relay then works until end(); the io_context must run.
  [[nodiscard]] Result<> open();
  [[nodiscard]] std::vector<std::uint16_t> ports() const;
  void end();

 private:
  using Socket = boost::asio::ip::tcp::socket;

  boost::asio::awaitable<void> accept(std::size_t door);
  boost::asio::awaitable<void> serve(Socket game, std::string transport);
  // Returns a closed socket if the worker could not be reached.
  boost::asio::awaitable<Socket> dial(std::chrono::milliseconds limit);
  boost::asio::awaitable<void> look_for_worker();
  boost::asio::awaitable<void> say_farewell();

  struct Listener {
    boost::asio::ip::tcp::acceptor acceptor;
    std::string transport;
  };

  boost::asio::io_context& context_;
  RelayOptions options_;
  std::function<void()> ended_;
  std::vector<Listener> listeners_;
  boost::asio::steady_timer look_;
  boost::asio::steady_timer room_for_more_;  // cancelled when a connection ends
  std::chrono::steady_clock::time_point reached_;
  std::size_t open_ = 0;
  bool ending_ = false;
};

}  // namespace fixkeep::worker
