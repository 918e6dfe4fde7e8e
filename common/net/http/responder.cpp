// A responder is a handler's access to a connection: through it the handler gives its answer.
#include "common/net/http/connection.hpp"
#include "common/net/http/server.hpp"

namespace fixkeep::net {

HttpResponder::HttpResponder(std::weak_ptr<HttpConnection> connection, std::uint64_t request)
    : connection_(std::move(connection)), request_(request) {}

void HttpResponder::answer(HttpAnswer answer) const {
  if (const auto connection = connection_.lock()) connection->answer(request_, std::move(answer));
}

void HttpResponder::keep_connection() const {
  if (const auto connection = connection_.lock()) connection->keep(request_);
}

std::optional<boost::asio::ip::tcp::socket> HttpResponder::take_over() const {
  const auto connection = connection_.lock();
  if (connection == nullptr) return std::nullopt;
  return connection->take_over(request_);
}

std::optional<HttpStream> HttpResponder::stream(std::string_view content_type) const {
  const auto connection = connection_.lock();
  if (connection == nullptr || !connection->begin_stream(request_, content_type)) return {};
  return HttpStream{connection};
}

bool HttpStream::send(std::shared_ptr<const std::string> bytes) const {
  const auto connection = connection_.lock();
  return connection != nullptr && connection->send_more(std::move(bytes));
}

bool HttpStream::is_open() const {
  const auto connection = connection_.lock();
  return connection != nullptr && connection->is_streaming();
}

void HttpStream::close() const {
  if (const auto connection = connection_.lock()) connection->end_stream();
}

void HttpResponder::on_hang_up(std::function<void()> handler) const {
  if (const auto connection = connection_.lock()) {
    connection->on_hang_up(request_, std::move(handler));
  }
}

boost::asio::ip::address HttpResponder::client() const {
  const auto connection = connection_.lock();
  return connection ? connection->client() : boost::asio::ip::address{};
}

}  // namespace fixkeep::net
