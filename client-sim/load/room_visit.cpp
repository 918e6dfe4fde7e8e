#include "client-sim/load/room_visit.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/tcp_stream.hpp>

#include "common/net/coroutines.hpp"
#include "common/net/dial/dialler.hpp"

namespace fixkeep::client_sim {

namespace asio = boost::asio;

namespace {

constexpr std::size_t most_line_bytes = 1024;

EntryResult unreachable(const std::string& step, const boost::system::error_code& error) {
  return {.kind = EntryResult::Kind::unreachable,
          .reason = step + ": " + error.message(),
          .came = {},
          .visit = nullptr};
}

}  // namespace

void RoomVisit::stay(std::function<void()> on_dropped) {
  on_dropped_ = std::move(on_dropped);
  listen();
}

void RoomVisit::leave() {
  on_dropped_ = nullptr;
  boost::system::error_code ignored;  // the connection is closed even after an error
  socket_.close(ignored);
}

void RoomVisit::listen() {
  // Bytes from the room are read and dropped: only the end of the connection matters.
  socket_.async_read_some(
      asio::buffer(&byte_, 1),
      [self = shared_from_this()](boost::system::error_code error, std::size_t) {
        if (!error) {
          self->listen();
        } else if (self->on_dropped_) {
          const auto handler = std::move(self->on_dropped_);
          self->leave();
          handler();
        }
      });
}

asio::awaitable<EntryResult> enter_room(MatchAnswer seat, std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  net::Dialler dialler{co_await asio::this_coro::executor};
  // This variable has a name because GCC 12 destroys a temporary aggregate in a co_await expression
  // twice.
  net::DialTarget room{seat.address, seat.port, limit};
  auto [connect_error, socket] = co_await dialler.async_dial(std::move(room), net::use_tuple);
  if (connect_error) co_return unreachable("room connect", connect_error);
  boost::beast::tcp_stream stream{std::move(socket)};
  stream.expires_at(end);
  const std::string join = "JOIN " + seat.seat_token + "\n";
  const auto came = std::chrono::system_clock::now();
  const auto [write_error, written] =
      co_await asio::async_write(stream, asio::buffer(join), net::use_tuple);
  if (write_error) co_return unreachable("room join", write_error);
  std::string line;
  const auto [read_error, length] = co_await asio::async_read_until(
      stream, asio::dynamic_buffer(line, most_line_bytes), '\n', net::use_tuple);
  if (read_error) co_return unreachable("room answer", read_error);
  line.resize(length - 1);
  if (line.starts_with("WELCOME")) {
    co_return EntryResult{.kind = EntryResult::Kind::welcome,
                          .reason = {},
                          .came = came,
                          .visit = std::make_shared<RoomVisit>(stream.release_socket())};
  }
  co_return EntryResult{.kind = EntryResult::Kind::refused,
                        .reason = "room: " + line,
                        .came = came,
                        .visit = nullptr};
}

}  // namespace fixkeep::client_sim
