#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <utility>

#include "worker/probe/attempt.hpp"

namespace fixkeep::probe {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

// The kernel does not report when a connection is accepted, so the attempt polls at growing
// intervals.
constexpr std::chrono::milliseconds first_look{2};
constexpr std::chrono::milliseconds slowest_look{50};
// If the worker cannot find out who has accepted a connection, the connection counts only after it
// has lasted this long. The acceptor may be an intermediary (for example the proxy of a container
// engine). It accepts before it has connected to the game, and closes our connection if the game
// does not accept.
constexpr std::chrono::milliseconds has_to_last{250};

class TcpAttempt final : public Attempt, public std::enable_shared_from_this<TcpAttempt> {
 public:
  TcpAttempt(asio::io_context& context, RoomSockets& sockets, const TcpProbe& probe, Ended ended)
      : Attempt(std::move(ended)),
        sockets_(sockets),
        probe_(probe),
        socket_(context),
        timer_(context) {}

  void begin() {
    const auto endpoint = sockets_.endpoint_of(probe_.port);
    socket_.async_connect(tcp::endpoint{endpoint.address, endpoint.port},
                          [attempt = weak_from_this()](boost::system::error_code error) {
                            const auto self = attempt.lock();
                            if (self != nullptr && !self->has_ended()) self->connected(error);
                          });
  }

 private:
  Outcome outcome_at_limit() override {
    if (!connected_) return Failure{.kind = Failure::Kind::no_answer};
    if (auto outcome = look()) return std::move(*outcome);
    if (!sockets_.can_see()) return Success{};  // the connection has lasted for the whole limit
    return Failure{.kind = Failure::Kind::not_accepted};
  }

  void connected(const boost::system::error_code& error) {
    if (error == asio::error::connection_refused) return end(Failure{Failure::Kind::nobody});
    if (error) return end(Failure{.kind = Failure::Kind::not_sent, .text = error.message()});
    connected_ = true;
    has_lasted_ = std::chrono::steady_clock::now() + has_to_last;
    boost::system::error_code ignored;
    socket_.non_blocking(true, ignored);
    look_until_accepted();
  }

  void look_until_accepted() {
    if (auto outcome = look()) return end(std::move(*outcome));
    timer_.expires_after(pause_);
    pause_ = std::min(pause_ * 2, slowest_look);
    timer_.async_wait([attempt = weak_from_this()](boost::system::error_code error) {
      const auto self = attempt.lock();
      if (self != nullptr && !error && !self->has_ended()) self->look_until_accepted();
    });
  }

  // Returns nullopt while the connection is not accepted.
  std::optional<Outcome> look() {
    if (!sockets_.can_see()) return look_whether_it_lasts();
    if (has_been_answered()) {
      if (auto wrong = sockets_.wrong_answerer({Protocol::tcp, probe_.port})) {
        return std::move(*wrong);
      }
      return Success{};
    }
    auto [accepted, failure] = sockets_.acceptance_of(socket_.native_handle());
    if (failure) return std::move(*failure);
    if (accepted == RoomSockets::Accepted::yes) return Success{};
    return std::nullopt;
  }

  std::optional<Outcome> look_whether_it_lasts() {
    std::array<char, 1> first;
    boost::system::error_code error;
    const auto bytes = socket_.receive(asio::buffer(first), tcp::socket::message_peek, error);
    if (bytes > 0) return Success{};
    if (error != asio::error::would_block) return Failure{.kind = Failure::Kind::closed};
    if (std::chrono::steady_clock::now() < has_lasted_) return std::nullopt;
    return Success{};
  }

  // Returns whether the server has sent data or closed the connection. If a server closes
  // immediately after it has accepted, its socket can no longer be examined.
  bool has_been_answered() {
    std::array<char, 1> first;
    boost::system::error_code error;
    (void)socket_.receive(asio::buffer(first), tcp::socket::message_peek, error);
    return error != asio::error::would_block;
  }

  RoomSockets& sockets_;
  TcpProbe probe_;
  tcp::socket socket_;
  asio::steady_timer timer_;
  std::chrono::milliseconds pause_ = first_look;
  bool connected_ = false;
  std::chrono::steady_clock::time_point has_lasted_;  // a connection that lasts until then counts
};

}  // namespace

std::shared_ptr<Attempt> begin_tcp(boost::asio::io_context& context, RoomSockets& sockets,
                                   const TcpProbe& probe, Attempt::Ended ended) {
  auto attempt = std::make_shared<TcpAttempt>(context, sockets, probe, std::move(ended));
  attempt->begin();
  return attempt;
}

}  // namespace fixkeep::probe
