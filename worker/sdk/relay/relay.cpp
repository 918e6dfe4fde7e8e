#include "worker/sdk/relay/relay.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <tuple>
#include <utility>

#include "common/net/coroutines.hpp"
#include "worker/sdk/listeners.hpp"
#include "worker/sdk/relay/greeting.hpp"

namespace fixkeep::worker {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using net::use_tuple;
using std::chrono::steady_clock;

namespace {

// Forwards all bytes of one side until its end, and then closes the other side for sending.
asio::awaitable<void> pass_on(tcp::socket& from, tcp::socket& to) {
  std::array<char, SdkRelay::piece_bytes> piece;
  error_code error;
  while (!error) {
    std::size_t size = 0;
    std::tie(error, size) = co_await from.async_read_some(asio::buffer(piece), use_tuple);
    if (error) break;
    std::tie(error, size) =
        co_await asio::async_write(to, asio::buffer(piece.data(), size), use_tuple);
  }
  error_code ignored;
  if (error == asio::error::eof) {
    to.shutdown(tcp::socket::shutdown_send, ignored);
  } else {
    from.close(ignored);
    to.close(ignored);
  }
}

}  // namespace

SdkRelay::SdkRelay(asio::io_context& context, RelayOptions options, std::function<void()> ended)
    : context_(context),
      options_(std::move(options)),
      ended_(std::move(ended)),
      look_(context),
      room_for_more_(context, steady_clock::time_point::max()),
      reached_(steady_clock::now()) {}

Result<> SdkRelay::open() {
  for (const auto& door : options_.doors) {
    auto opened = open_listeners(door.port);
    if (!opened) return opened.error();
    for (std::size_t i = 0; i < opened->sockets.size(); ++i) {
      listeners_.push_back({tcp::acceptor{context_}, door.transport});
      error_code error;
      listeners_.back().acceptor.assign(i == 0 ? tcp::v4() : tcp::v6(),
                                        opened->sockets[i].release(), error);
      if (error) return error;
    }
  }
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    asio::co_spawn(context_, accept(i), net::rethrow);
  }
  asio::co_spawn(context_, look_for_worker(), net::rethrow);
  return {};
}

std::vector<std::uint16_t> SdkRelay::ports() const {
  std::vector<std::uint16_t> all;
  for (const Listener& each : listeners_) all.push_back(each.acceptor.local_endpoint().port());
  return all;
}

void SdkRelay::end() {
  if (std::exchange(ending_, true)) return;
  asio::co_spawn(context_, say_farewell(), net::rethrow);
}

asio::awaitable<void> SdkRelay::say_farewell() {
  asio::steady_timer timer{context_, farewell};
  (void)co_await timer.async_wait(use_tuple);
  while (open_ > 0) (void)co_await room_for_more_.async_wait(use_tuple);
  error_code ignored;
  for (Listener& each : listeners_) each.acceptor.close(ignored);
  look_.cancel();
  ended_();
}

asio::awaitable<void> SdkRelay::accept(std::size_t door) {
  tcp::acceptor& acceptor = listeners_[door].acceptor;
  while (acceptor.is_open()) {
    if (open_ >= most_connections) {
      (void)co_await room_for_more_.async_wait(use_tuple);
      continue;
    }
    auto [error, game] = co_await acceptor.async_accept(use_tuple);
    if (!acceptor.is_open()) co_return;
    if (error) {
      asio::steady_timer pause{context_, between_tries};
      (void)co_await pause.async_wait(use_tuple);
      continue;
    }
    ++open_;
    asio::co_spawn(context_, serve(std::move(game), listeners_[door].transport),
                   [this](const std::exception_ptr& thrown) {
                     --open_;
                     room_for_more_.cancel();
                     net::rethrow(thrown);
                   });
  }
}

asio::awaitable<void> SdkRelay::serve(Socket game, std::string transport) {
  Socket worker = co_await dial(worker_limit);
  if (!worker.is_open()) co_return;
  error_code ignored;
  game.set_option(tcp::no_delay{true}, ignored);
  worker.set_option(tcp::no_delay{true}, ignored);
  const auto hello = to_text({std::move(transport), options_.room, options_.token});
  const auto [error, size] = co_await asio::async_write(worker, asio::buffer(hello), use_tuple);
  if (error) co_return;
  using namespace asio::experimental::awaitable_operators;
  co_await (pass_on(game, worker) && pass_on(worker, game));
}

asio::awaitable<SdkRelay::Socket> SdkRelay::dial(std::chrono::milliseconds limit) {
  const auto until = steady_clock::now() + limit;
  tcp::resolver resolver{context_};
  for (;;) {
    Socket socket{context_};
    const auto [unknown, found] = co_await resolver.async_resolve(
        options_.worker_host, std::to_string(options_.worker_port), use_tuple);
    if (!unknown) {
      for (const auto& each : found) {
        error_code ignored;
        socket.close(ignored);
        const auto [error] = co_await socket.async_connect(each.endpoint(), use_tuple);
        if (error) continue;
        reached_ = steady_clock::now();
        co_return socket;
      }
    }
    if (steady_clock::now() >= until) co_return Socket{context_};
    asio::steady_timer pause{context_, between_tries};
    (void)co_await pause.async_wait(use_tuple);
  }
}

asio::awaitable<void> SdkRelay::look_for_worker() {
  while (!ending_) {
    look_.expires_after(std::min<std::chrono::milliseconds>(between_looks, options_.alone));
    (void)co_await look_.async_wait(use_tuple);
    if (ending_) co_return;
    (void)co_await dial({});
    if (steady_clock::now() - reached_ >= options_.alone) end();
  }
}

}  // namespace fixkeep::worker
