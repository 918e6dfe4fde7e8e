#include "lab/relay/connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "common/net/coroutines.hpp"
#include "common/net/steady_clock.hpp"

namespace fixkeep::relay {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr std::size_t read_bytes = 65'536;

void send_at_once(tcp::socket& socket) {
  boost::system::error_code ignored;  // if the socket is closed, a read from it reports that
  socket.set_option(tcp::no_delay{true}, ignored);
}

}  // namespace

Connection::Connection(tcp::socket near, const Conditions& conditions, Random& random)
    : opening_(opening_time(conditions)),
      cut_(conditions.cut != Cut::none),
      near_(std::move(near)),
      far_(near_.get_executor()),
      out_{.from = near_,
           .to = far_,
           .schedule = {conditions, Random{random.next()}, Cut::out},
           .departure = asio::steady_timer{near_.get_executor()},
           .room = asio::steady_timer{near_.get_executor()}},
      in_{.from = far_,
          .to = near_,
          .schedule = {conditions, Random{random.next()}, Cut::in},
          .departure = asio::steady_timer{near_.get_executor()},
          .room = asio::steady_timer{near_.get_executor()}} {}

void Connection::start(const tcp::endpoint& target) {
  const auto executor = near_.get_executor();
  send_at_once(near_);
  asio::co_spawn(executor, receive(shared_from_this(), out_), net::rethrow);
  asio::co_spawn(executor, open(shared_from_this(), target), net::rethrow);
}

void Connection::change(const Conditions& conditions) {
  for (auto* line : {&out_, &in_}) {
    line->schedule.change(conditions);
    line->departure.cancel();
  }
}

asio::awaitable<void> Connection::open(Self self, tcp::endpoint target) {
  if (self->cut_) co_return;  // SYN or SYN-ACK is lost; the caller must time out
  const auto executor = self->near_.get_executor();
  asio::steady_timer crossed{executor, net::to_steady(net::steady_now() + self->opening_)};
  co_await crossed.async_wait(net::use_tuple);
  const auto [error] = co_await self->far_.async_connect(target, net::use_tuple);
  asio::co_spawn(executor, send(self, self->in_), net::rethrow);
  if (error) {
    end(self->in_, Ending::reset);
    co_return;
  }
  send_at_once(self->far_);
  asio::co_spawn(executor, receive(self, self->in_), net::rethrow);
  asio::co_spawn(executor, send(self, self->out_), net::rethrow);
}

asio::awaitable<void> Connection::receive(Self self, Direction& line) {
  std::array<char, read_bytes> chunk{};
  while (!self->closed_) {
    if (line.schedule.full()) {
      line.room.expires_at(asio::steady_timer::time_point::max());
      co_await line.room.async_wait(net::use_tuple);
      continue;
    }
    const auto [error, size] =
        co_await line.from.async_read_some(asio::buffer(chunk), net::use_tuple);
    if (error) {
      end(line, error == asio::error::eof ? Ending::finished : Ending::reset);
      co_return;
    }
    const bool was_empty = !line.schedule.next();
    line.schedule.arrive(net::steady_now(), {chunk.data(), size});
    if (was_empty) line.departure.cancel();
  }
}

asio::awaitable<void> Connection::send(Self self, Direction& line) {
  while (!self->closed_) {
    const auto now = net::steady_now();
    const auto next = line.schedule.next();
    if (!next || *next > now) {
      line.departure.expires_at(next ? net::to_steady(*next)
                                     : asio::steady_timer::time_point::max());
      co_await line.departure.async_wait(net::use_tuple);
      continue;
    }
    const auto leaving = line.schedule.take(now);
    line.room.cancel();
    if (!leaving.bytes.empty()) {
      const auto [error, size] =
          co_await asio::async_write(line.to, asio::buffer(leaving.bytes), net::use_tuple);
      // The receiver has disconnected, so its sender gets a reset.
      if (error) end(self->back(line), Ending::reset);
    }
    if (leaving.ending == Ending::finished) self->finish(line);
    if (leaving.ending == Ending::reset) self->reset(line);
  }
}

void Connection::end(Direction& line, Ending ending) {
  line.schedule.end(net::steady_now(), ending);
  line.departure.cancel();
}

void Connection::finish(Direction& line) {
  boost::system::error_code ignored;  // if that side has disconnected, a read from it reports that
  line.to.shutdown(tcp::socket::shutdown_send, ignored);
  line.finished = true;
  if (back(line).finished) close();
}

void Connection::reset(Direction& line) {
  boost::system::error_code ignored;
  line.to.set_option(asio::socket_base::linger{true, 0}, ignored);
  close();
}

void Connection::close() {
  closed_ = true;
  boost::system::error_code ignored;
  near_.close(ignored);
  far_.close(ignored);
  for (auto* line : {&out_, &in_}) {
    line->departure.cancel();
    line->room.cancel();
  }
}

}  // namespace fixkeep::relay
