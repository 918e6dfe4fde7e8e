// Accepts the connections of one endpoint of a room and rejects connections from elsewhere.
//
// Every process of the machine can dial a port on the loopback device. On the loopback device, the
// endpoint's predicate says whether a connection comes from a process of this room. On other
// devices, only the token shows this (token.hpp).
// Thread rule: one io_context and one thread; an Acceptor is destroyed before the io_context and
// not from within its handler. Bounds: the backlog of its sockets; its log lines are limited.
// Errors: a connection that cannot be accepted waits in the backlog.
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

// Returns whether the connected socket comes from a process of the room.
using FromTheRoom = std::function<bool(int socket)>;

struct Endpoint {
  Listeners listeners;
  FromTheRoom from_the_room;  // empty: true for every connection
};

// Returns the address at the other end of a connected socket; unspecified: no longer known.
[[nodiscard]] boost::asio::ip::address peer_address(int socket);

class Acceptor {
 public:
  // Receives a connected non-blocking socket.
  using Handler = std::function<void(process::Descriptor connection)>;

  // `room` is for the log.
  Acceptor(boost::asio::io_context& context, std::string room, Endpoint endpoint, Handler handler);
  ~Acceptor();  // closes the listening sockets
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  // Also accepts connections from these sockets. You need this for a loopback device that does not
  // exist yet when you make the Acceptor.
  void listen(std::vector<process::Descriptor> sockets);
  [[nodiscard]] const std::string& host() const;
  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::uint64_t strangers() const;  // number of rejected connections so far

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::worker
