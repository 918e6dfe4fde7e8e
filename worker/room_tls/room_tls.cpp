#include "worker/room_tls/room_tls.hpp"

#include <sys/stat.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <tuple>
#include <utility>
#include <variant>

#include "common/net/coroutines.hpp"
#include "common/net/keep_alive.hpp"

namespace fixkeep::worker {
namespace {

using boost::asio::awaitable;
using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::milliseconds pause{100};  // after a failed accept (no descriptors)
constexpr net::KeepAlive keep_alive{std::chrono::seconds{30}, std::chrono::seconds{10}};

// Passes bytes on until one side ends or fails. Returns false if it fails.
awaitable<bool> pass_on(auto& from, auto& to) {
  std::array<char, 16 * 1024> bytes{};
  for (;;) {
    const auto [ended, count] =
        co_await from.async_read_some(boost::asio::buffer(bytes), net::use_tuple);
    if (ended) {
      co_return ended == boost::asio::error::eof ||
          ended == boost::asio::error::operation_aborted ||
          ended == boost::asio::ssl::error::stream_truncated;
    }
    const auto [failed, written] =
        co_await async_write(to, boost::asio::buffer(bytes.data(), count), net::use_tuple);
    if (failed) co_return false;
  }
}

// Changes if a file is written or replaced, or gets other rights.
auto stamp_of(const net::HttpsFiles& files) {
  const auto one = [](const std::string& file) {
    struct stat found {};
    (void)::stat(file.c_str(), &found);
    return std::tuple{found.st_ino, found.st_size, found.st_ctim.tv_sec, found.st_ctim.tv_nsec};
  };
  return std::pair{one(files.certificate), one(files.key)};
}

}  // namespace

enum class RoomTls::Side : std::uint8_t { none, player, game };

struct RoomTls::Connection {
  Connection(tcp::socket socket, std::shared_ptr<net::HttpsCertificate> by,
             const boost::asio::ip::address& address, std::shared_ptr<Places> all)
      : certificate(std::move(by)),
        player(std::move(socket), certificate->context()),
        game(player.get_executor()),
        limit(player.get_executor()),
        places(std::move(all)),
        place(places->clients.add(address, this)) {
    ++places->open;
    // A handshake must not go before a greedy client's connections.
    places->clients.become(place, net::ConnectionUse::busy);
  }
  ~Connection() {
    places->clients.remove(place);
    --places->open;
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void close() {
    error_code ignored;
    player.lowest_layer().close(ignored);
    game.close(ignored);
    limit.cancel();
  }
  void close_within(const std::shared_ptr<Connection>& self, std::chrono::milliseconds time) {
    limit.expires_after(time);
    limit.async_wait([weak = std::weak_ptr{self}](error_code cancelled) {
      const auto connection = weak.lock();
      if (!cancelled && connection) connection->close();
    });
  }

  std::shared_ptr<net::HttpsCertificate> certificate;  // outlives `player`
  Side first = Side::none;                             // side that ended first
  boost::asio::ssl::stream<tcp::socket> player;
  tcp::socket game;
  boost::asio::steady_timer limit;
  std::shared_ptr<Places> places;
  Clients::Place place;
};

RoomTls::RoomTls(boost::asio::io_context& context, Options options)
    : context_(context), options_(std::move(options)), acceptor_(context) {}
RoomTls::~RoomTls() = default;

std::string RoomTls::open() {
  auto loaded = net::HttpsCertificate::load(options_.files);
  if (auto* const problem = std::get_if<std::string>(&loaded)) return std::move(*problem);
  certificate_ = std::get<0>(std::move(loaded));
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  error_code error;
  if (::getsockname(options_.listener, reinterpret_cast<sockaddr*>(&own), &size) == 0) {
    acceptor_.assign(own.ss_family == AF_INET6 ? tcp::v6() : tcp::v4(), options_.listener, error);
  }
  if (error || !acceptor_.is_open()) return "standard input is no listening socket";
  net::keep_alive(acceptor_.native_handle(), keep_alive);
  co_spawn(context_, accept(), net::rethrow);
  co_spawn(context_, look_for_renewals(), net::rethrow);
  return {};
}

awaitable<void> RoomTls::accept() {
  boost::asio::steady_timer timer{context_};
  for (;;) {
    auto [error, socket] = co_await acceptor_.async_accept(net::use_tuple);
    error_code gone;
    const auto peer = error ? tcp::endpoint{} : socket.remote_endpoint(gone);
    if (error) {
      timer.expires_after(pause);
      co_await timer.async_wait(net::use_tuple);
    } else if (!gone && has_place(peer.address())) {
      socket.set_option(tcp::no_delay{true}, gone);
      auto made =
          std::make_shared<Connection>(std::move(socket), certificate_, peer.address(), places_);
      co_spawn(context_, serve(std::move(made)), net::rethrow);
    }
  }
}

// Makes place if necessary.
bool RoomTls::has_place(const boost::asio::ip::address& newcomer) {
  if (places_->open < options_.most) return true;
  Connection* const other = places_->clients.first_to_go_for(newcomer);
  if (other == nullptr) return false;
  other->close();
  return true;
}

awaitable<void> RoomTls::serve(Ours connection) {
  Connection& my = *connection;
  my.close_within(connection, options_.patience);
  const auto [refused] =
      co_await my.player.async_handshake(boost::asio::ssl::stream_base::server, net::use_tuple);
  if (refused) co_return my.close();
  if (!co_await reach_game(connection)) co_return my.close();
  my.limit.cancel();
  co_spawn(context_, hear_game(connection), net::rethrow);
  if (!co_await pass_on(my.player, my.game)) co_return my.close();
  my.close_within(connection, options_.patience);
  if (my.first == Side::game) {
    co_await my.player.async_shutdown(net::use_tuple);
    co_return my.close();
  }
  my.first = Side::player;
  error_code ignored;
  my.game.shutdown(tcp::socket::shutdown_send, ignored);
}

// The direction that ends last shuts TLS down: no read may run during a shutdown.
awaitable<void> RoomTls::hear_game(Ours connection) {
  Connection& my = *connection;
  if (!co_await pass_on(my.game, my.player)) co_return my.close();
  if (my.first == Side::player) {
    co_await my.player.async_shutdown(net::use_tuple);
    co_return my.close();
  }
  my.first = Side::game;
  error_code ignored;
  my.player.lowest_layer().cancel(ignored);
}

awaitable<bool> RoomTls::reach_game(Ours connection) const {
  using boost::asio::ip::address;
  const std::array<address, 2> loopback{boost::asio::ip::address_v4::loopback(),
                                        boost::asio::ip::address_v6::loopback()};
  for (const address& each : loopback) {
    error_code ignored;
    connection->game.close(ignored);
    const auto [error] =
        co_await connection->game.async_connect({each, options_.game}, net::use_tuple);
    if (error) continue;
    connection->game.set_option(tcp::no_delay{true}, ignored);
    co_return true;
  }
  co_return false;
}

awaitable<void> RoomTls::look_for_renewals() {
  boost::asio::steady_timer timer{context_};
  auto before = stamp_of(options_.files);
  for (;;) {
    timer.expires_after(options_.look);
    co_await timer.async_wait(net::use_tuple);
    auto now = stamp_of(options_.files);
    if (now == before) continue;
    before = now;
    auto loaded = net::HttpsCertificate::load(options_.files);
    if (auto* const made = std::get_if<0>(&loaded)) certificate_ = std::move(*made);
  }
}

}  // namespace fixkeep::worker
