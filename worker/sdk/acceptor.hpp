// Accepts the connections of one endpoint of a room, and sends away those that come from elsewhere.
//
// A port on the loopback device can be dialled by every process of the machine. Whether one of this
// room's processes is at the other end is for the predicate of the endpoint to say. At any other
// address it is the token that has to say it (token.hpp).
// Thread rule: one io_context, one thread; it is destroyed before the io_context, and not from
// within its handler. Bounds: the backlog of its sockets; its log lines are limited. Errors: while
// a connection cannot be accepted it waits in the backlog.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/process/descriptor.hpp"
#include "worker/sdk/listeners.hpp"

namespace fixkeep::worker {

// Whether the connected socket comes from a process of the room.
using FromTheRoom = std::function<bool(int socket)>;

struct Endpoint {
  Listeners listeners;
  FromTheRoom from_the_room;  // empty: every connection does
};

// The address at the other end of a connected socket; unspecified: nobody knows any more.
[[nodiscard]] boost::asio::ip::address peer_address(int socket);

class Acceptor {
 public:
  // A connected socket that does not block.
  using Handler = std::function<void(process::Descriptor connection)>;

  // `room` is for the log.
  Acceptor(boost::asio::io_context& context, std::string room, Endpoint endpoint, Handler handler);
  ~Acceptor();  // closes the listening sockets
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  // Accepts from these as well: the loopback device of the room was not there before.
  void listen(std::vector<process::Descriptor> sockets);
  [[nodiscard]] const std::string& host() const;
  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::uint64_t strangers() const;  // sent away so far

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::worker
