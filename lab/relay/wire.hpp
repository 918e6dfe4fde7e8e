// A Wire is a port of 127.0.0.1. Its connections are relayed to another address, with the delay of
// a given distance.
//
// Thread rule: the thread of the io_context. Lifetime: a wire stays open until the end of the
// io_context. Errors: those of listen(). Bounds: the process's open descriptors; without a free
// descriptor no connection is accepted.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <vector>

#include "common/base/result.hpp"
#include "lab/relay/connection.hpp"
#include "lab/relay/core/command.hpp"

namespace fixkeep::relay {

class Wire {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Wire>> open(boost::asio::io_context& context,
                                                          const OpenWire& options, Random random);
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  // Changes present and future connections.
  void change(const ChangeWire& change);

 private:
  Wire(boost::asio::io_context& context, const OpenWire& options, Random random);
  boost::asio::awaitable<void> accept();

  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::ip::tcp::endpoint target_;
  Conditions conditions_;
  Random random_;
  std::vector<std::weak_ptr<Connection>> connections_;
};

}  // namespace fixkeep::relay
