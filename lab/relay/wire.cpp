#include "lab/relay/wire.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>

#include "common/net/coroutines.hpp"

namespace fixkeep::relay {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr std::chrono::milliseconds pause_without_descriptors{50};

}  // namespace

Result<std::unique_ptr<Wire>> Wire::open(asio::io_context& context, const OpenWire& options,
                                         Random random) {
  std::unique_ptr<Wire> wire{new Wire{context, options, random}};
  const tcp::endpoint where{asio::ip::address_v4::loopback(), options.listen};
  auto& acceptor = wire->acceptor_;
  boost::system::error_code error;
  acceptor.open(where.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address{true}, error);
  if (!error) acceptor.bind(where, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return error;
  asio::co_spawn(context, wire->accept(), net::rethrow);
  return wire;
}

Wire::Wire(asio::io_context& context, const OpenWire& options, Random random)
    : acceptor_(context),
      target_(asio::ip::address_v4::loopback(), options.target),
      conditions_(options.conditions),
      random_(random) {}

asio::awaitable<void> Wire::accept() {
  for (;;) {
    auto [error, near] = co_await acceptor_.async_accept(net::use_tuple);
    if (error) {
      asio::steady_timer pause{acceptor_.get_executor(), pause_without_descriptors};
      co_await pause.async_wait(net::use_tuple);
      continue;
    }
    std::erase_if(connections_, [](const auto& connection) { return connection.expired(); });
    const auto connection = std::make_shared<Connection>(std::move(near), conditions_, random_);
    connections_.push_back(connection);
    connection->start(target_);
  }
}

void Wire::change(const ChangeWire& change) {
  change.apply(conditions_);
  for (const auto& each : connections_) {
    if (const auto connection = each.lock()) connection->change(conditions_);
  }
}

}  // namespace fixkeep::relay
