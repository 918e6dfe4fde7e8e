// A server that answers with whatever a test says, for as long as it is asked to.
//
// Thread rule: the test's io_context. Bounds: it writes one text after the other and reads nothing
// but what comes before the first; it ends with its owner.
#pragma once

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "common/net/coroutines.hpp"

namespace fixkeep::net {

struct HostileAnswer {
  std::string begin;
  std::string again = {};  // after it, without an end; empty: nothing more
  std::chrono::milliseconds every{0};
  bool closes = false;  // when all is said
};

class HostileServer {
 public:
  HostileServer(boost::asio::io_context& context, HostileAnswer answer)
      : state_(std::make_shared<State>(context, std::move(answer))) {
    boost::asio::co_spawn(context, accept(state_), boost::asio::detached);
  }
  ~HostileServer() { state_->acceptor.close(); }
  HostileServer(const HostileServer&) = delete;
  HostileServer& operator=(const HostileServer&) = delete;

  [[nodiscard]] std::uint16_t port() const { return state_->acceptor.local_endpoint().port(); }
  [[nodiscard]] std::uint64_t bytes_sent() const { return state_->sent; }
  [[nodiscard]] int connections() const { return state_->connections; }

 private:
  using Socket = boost::asio::ip::tcp::socket;
  struct State {
    State(boost::asio::io_context& context, HostileAnswer chosen)
        : acceptor(context, {boost::asio::ip::address_v4::loopback(), 0}),
          answer(std::move(chosen)) {}
    boost::asio::ip::tcp::acceptor acceptor;
    HostileAnswer answer;
    std::uint64_t sent = 0;
    int connections = 0;
  };

  static boost::asio::awaitable<void> accept(std::shared_ptr<State> state) {
    for (;;) {
      auto [error, socket] = co_await state->acceptor.async_accept(use_tuple);
      if (error) co_return;
      ++state->connections;
      boost::asio::co_spawn(state->acceptor.get_executor(), serve(state, std::move(socket)),
                            boost::asio::detached);
    }
  }
  static boost::asio::awaitable<void> serve(std::shared_ptr<State> state, Socket socket) {
    std::array<char, 4096> room{};
    boost::asio::steady_timer pause{socket.get_executor()};
    for (;;) {
      const auto [gone, got] =
          co_await socket.async_read_some(boost::asio::buffer(room), use_tuple);
      if (gone) co_return;
      std::string text = state->answer.begin;
      do {
        const auto [unsent, sent] =
            co_await boost::asio::async_write(socket, boost::asio::buffer(text), use_tuple);
        if (unsent) co_return;
        state->sent += sent;
        text = state->answer.again;
        if (state->answer.every.count() == 0) continue;
        pause.expires_after(state->answer.every);
        (void)co_await pause.async_wait(use_tuple);
      } while (!text.empty());
      if (state->answer.closes) co_return;
    }
  }

  std::shared_ptr<State> state_;
};

}  // namespace fixkeep::net
