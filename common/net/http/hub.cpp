// The connections of one HTTP server, their clock and their limits.
#include <algorithm>
#include <utility>

#include "common/base/assert.hpp"
#include "common/net/client_network.hpp"
#include "common/net/http/answer.hpp"
#include "common/net/http/connection.hpp"

namespace fixkeep::net {

using namespace std::chrono_literals;

HttpHub::HttpHub(HttpOptions given_options, HttpServer::Handler given_handler)
    : options(std::move(given_options)),
      handler(std::move(given_handler)),
      date(http_date()),
      tick_every(
          std::clamp(std::min(options.request_timeout, options.idle_timeout) / 8, 10ms, 1000ms)) {}

void HttpHub::renew(const std::shared_ptr<HttpsCertificate>& certificate) {
  tls.reset();
  if (certificate != nullptr) tls = {certificate, &certificate->context()};
}

std::uint64_t HttpHub::deadline(std::chrono::milliseconds wait) const {
  // One tick more than needed: the present one has begun already.
  return tick + 1 + static_cast<std::uint64_t>((wait + tick_every - 1ms) / tick_every);
}

void HttpHub::add(const std::shared_ptr<HttpConnection>& connection) {
  ++connections_of[client_network(connection->client())];
  connections.push_back(connection);
}

std::size_t HttpHub::connections_from(const boost::asio::ip::address& client) const {
  const auto found = connections_of.find(client_network(client));
  return found == connections_of.end() ? 0 : found->second;
}

void HttpHub::remove(const HttpConnection& connection) {
  const auto of = connections_of.find(client_network(connection.client()));
  if (--of->second == 0) connections_of.erase(of);
  if (connection.turned_away_) --turned_away;
  const std::size_t slot = connection.slot_;
  FIXKEEP_ASSERT(slot < connections.size() && connections[slot].get() == &connection,
                 std::to_string(slot));
  connections.back()->slot_ = slot;
  std::swap(connections[slot], connections.back());
  connections.pop_back();
}

void HttpHub::check_deadlines() {
  // Backwards, since a connection that is closed gives its slot to the last one.
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
}

}  // namespace fixkeep::net
