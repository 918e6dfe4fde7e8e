// The library's socket, watched by Asio.
//
// The library opens and closes its socket without notice. The new socket may have the old socket's
// number. We therefore watch a copy of the descriptor. The inode shows whether the socket is still
// the same.
//
// Invariants: 1. At most one wait in each direction is outstanding. Each wait refers to `owner`
//                weakly.
// Thread rule: the thread of the io_context. Bounds: one descriptor. Errors: a socket that cannot
// be copied is not watched; the library's own timeouts end it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>

#include "lock/engines/tcp_bytes.hpp"

namespace fixkeep::engine {

class LibrarySocket {
 public:
  enum class Ready : std::uint8_t { read, write };
  using OnReady = std::function<void(Ready)>;

  LibrarySocket(boost::asio::io_context& context, OnReady on_ready)
      : descriptor_(context), on_ready_(std::move(on_ready)) {}

  void watch(int socket, bool read, bool write, const std::weak_ptr<void>& owner);
  void drop();
  // Closes both directions, so that the library finds its connection broken.
  void break_connection();
  // Sends without waiting. Returns false if not all bytes were sent.
  [[nodiscard]] bool send(const char* data, std::size_t size);
  // Reads and discards bytes until the other side ends the connection.
  void drain(std::function<void()> done);

  [[nodiscard]] TcpBytes bytes();  // sum of all sockets so far

 private:
  void wait(Ready direction, bool& waiting, const std::weak_ptr<void>& owner);

  boost::asio::posix::stream_descriptor descriptor_;
  OnReady on_ready_;
  std::uint64_t inode_ = 0;
  std::uint64_t generation_ = 0;  // generation of the descriptor
  bool reading_ = false;
  bool writing_ = false;
  TcpBytes earlier_;  // bytes of former sockets
};

}  // namespace fixkeep::engine
