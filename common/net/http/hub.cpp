// All connections of one HTTP server, with their common clock and limits.
#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "common/base/assert.hpp"
#include "common/net/http/answer.hpp"
#include "common/net/http/connection.hpp"

namespace fixkeep::net {

using namespace std::chrono_literals;

namespace {

// The longest time until the server notices that a client has hung up.
constexpr auto watch_after = 10ms;

// A client over a slow network needs less time for its TLS handshake and the head of its request.
// If many addresses open connections and say nothing, each address must repeat this so often.
constexpr auto young_for = 2000ms;

}  // namespace

HttpHub::HttpHub(boost::asio::io_context& context, HttpOptions given_options,
                 HttpServer::Handler given_handler)
    : watch(context),
      options(std::move(given_options)),
      handler(std::move(given_handler)),
      date(http_date()),
      tick_every(
          std::clamp(std::min(options.request_timeout, options.idle_timeout) / 8, 10ms, 1000ms)) {}

void HttpHub::renew(const std::shared_ptr<HttpsCertificate>& certificate) {
  options.tls = certificate;
  tls.reset();
  if (certificate == nullptr) return;
  tls = {certificate, &certificate->context()};
  // Counts down: the last connection, already visited, moves to the slot of a closed connection.
  for (std::size_t i = connections.size(); i-- > 0;) {
    const auto connection = connections[i];
    auto* const known = connection->transport_.tls();
    if (known != nullptr && certificate->ends(known)) connection->hang_up();
  }
}

std::uint64_t HttpHub::deadline(std::chrono::milliseconds wait) const {
  // Adds one tick, because the current tick has already begun.
  return tick + 1 + static_cast<std::uint64_t>((wait + tick_every - 1ms) / tick_every);
}

void HttpHub::add(const std::shared_ptr<HttpConnection>& connection) {
  connection->place_ = by_client.add(connection->client(), connection.get());
  connections.push_back(connection);
}

bool HttpHub::has_place_for(const boost::asio::ip::address& client) {
  const bool has_its_share = by_client.of(client) >= options.connections_per_address;
  const bool full = connections.size() - turned_away >= options.connections;
  if (!has_its_share && !full) return true;
  const auto is_young = [this](const HttpConnection* connection) {
    return tick < connection->quiet_tick_ + static_cast<std::uint64_t>(young_for / tick_every);
  };
  auto* const first = has_its_share ? by_client.first_to_go_of(client)
                                    : by_client.first_to_go_for(client, is_young);
  if (first == nullptr) return false;
  ++displaced;
  const auto connection = first->shared_from_this();
  if (!connection->waits_for_answer() || turned_away >= options.turned_away) {
    connection->hang_up();
  } else {
    connection->turn_away();
  }
  return true;
}

void HttpHub::remove(HttpConnection& connection) {
  by_client.remove(connection.place_);
  if (connection.turned_away_) --turned_away;
  const std::size_t slot = connection.slot_;
  FIXKEEP_ASSERT(slot < connections.size() && connections[slot].get() == &connection,
                 std::to_string(slot));
  connections.back()->slot_ = slot;
  std::swap(connections[slot], connections.back());
  connections.pop_back();
}

void HttpHub::read_soon(HttpConnection& connection) {
  to_read.push_back(connection.shared_from_this());
  if (to_read.size() > 1) return;
  // Reads at the end of this turn: the posted function runs after the answers that handlers have
  // posted in this turn.
  boost::asio::post(watch.get_executor(), [self = shared_from_this()] {
    for (const auto& waiting : self->to_read) {
      if (waiting->phase_ == HttpConnection::Phase::receiving) waiting->read();
    }
    self->to_read.clear();
  });
}

void HttpHub::watch_later(HttpConnection& connection) {
  if (std::exchange(connection.watched_later_, true)) return;
  to_watch.push_back(connection.shared_from_this());
  if (to_watch.size() > 1) return;
  watch.expires_after(watch_after);
  watch.async_wait([self = shared_from_this()](boost::system::error_code) {
    for (const auto& waiting : self->to_watch) {
      waiting->watched_later_ = false;
      if (waiting->phase_ == HttpConnection::Phase::answering) waiting->watch();
    }
    self->to_watch.clear();
  });
}

void HttpHub::check_deadlines() {
  // Counts down: the last connection, already visited, moves to the slot of a closed connection.
  for (std::size_t i = connections.size(); i-- > 0;) {
    const auto connection = connections[i];
    connection->check_deadline();
  }
}

void HttpHub::close_all() {
  while (!connections.empty()) {
    const auto connection = connections.back();
    connection->close();
  }
  to_read.clear();
  to_watch.clear();
  watch.cancel();
}

}  // namespace fixkeep::net
