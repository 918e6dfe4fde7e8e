// A player in a room: one TCP connection with `JOIN <seat token>` and `WELCOME …` or `REFUSED
// <reason>`.
//
// Thread rule: one io_context with one thread. Bounds: the room's answer has at most 1 KiB;
// entering ends at its time limit.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "client-sim/load/api.hpp"

namespace fixkeep::client_sim {

// Keeps the player in the room. Calls on_dropped if the room closes the connection, but never after
// leave().
class RoomVisit : public std::enable_shared_from_this<RoomVisit> {
 public:
  explicit RoomVisit(boost::asio::ip::tcp::socket socket) : socket_(std::move(socket)) {}

  void stay(std::function<void()> on_dropped);
  void leave();

 private:
  void listen();

  boost::asio::ip::tcp::socket socket_;
  std::function<void()> on_dropped_;
  char byte_ = 0;
};

struct EntryResult {
  enum class Kind : std::uint8_t {
    welcome,
    refused,      // the room answered REFUSED
    unreachable,  // no connection, or a connection that ended without an answer
  };
  Kind kind = Kind::unreachable;
  std::string reason;
  std::chrono::system_clock::time_point came =
      {};                            // time when the seat token was sent; only if the room answered
  std::shared_ptr<RoomVisit> visit;  // set if the player was welcome
};

[[nodiscard]] boost::asio::awaitable<EntryResult> enter_room(MatchAnswer seat,
                                                             std::chrono::milliseconds limit);

}  // namespace fixkeep::client_sim
