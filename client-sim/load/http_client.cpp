#include "client-sim/load/http_client.hpp"

#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <charconv>

#include "common/net/coroutines.hpp"

namespace fixkeep::client_sim {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

namespace {

constexpr std::size_t most_body_bytes = 16U << 20U;

std::chrono::seconds read_retry_after(std::string_view text) {
  unsigned seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  // The other form, a date, would need the wall clock of both sides to agree.
  if (error != std::errc{} || end != text.data() + text.size()) return std::chrono::seconds{0};
  return std::chrono::seconds{seconds};
}

}  // namespace

HttpClient::HttpClient(const asio::any_io_executor& executor, asio::ip::tcp::endpoint where,
                       std::string token)
    : executor_(executor), where_(std::move(where)), token_(std::move(token)) {}

asio::awaitable<Result<void>> HttpClient::connect(std::chrono::milliseconds limit) {
  stream_ = std::make_unique<beast::tcp_stream>(executor_);
  stream_->expires_after(limit);
  const auto [error] = co_await stream_->async_connect(where_, net::use_tuple);
  if (error) {
    stream_.reset();
    co_return error;
  }
  beast::error_code ignored;  // without it the answers only come later
  stream_->socket().set_option(tcp::no_delay{true}, ignored);
  stream_->expires_never();
  co_return Result<void>{};
}

asio::awaitable<Result<HttpReply>> HttpClient::request(http::verb verb, std::string target,
                                                       std::string body,
                                                       std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  if (!connected()) {
    const auto made = co_await connect(limit);
    if (!made) co_return made.error();
  }
  http::request<http::string_body> request{verb, target, 11};
  request.set(http::field::host, where_.address().to_string());
  request.set(http::field::user_agent, "fixkeep-client-sim");
  if (!token_.empty()) request.set(http::field::authorization, "Bearer " + token_);
  if (!body.empty()) request.set(http::field::content_type, "application/json");
  request.body() = std::move(body);
  request.prepare_payload();

  stream_->expires_at(end);
  const auto [write_error, written] = co_await http::async_write(*stream_, request, net::use_tuple);
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(most_body_bytes);
  beast::error_code error = write_error;
  if (!error) {
    const auto [read_error, read] =
        co_await http::async_read(*stream_, buffer, parser, net::use_tuple);
    error = read_error;
  }
  if (error) {
    close();
    co_return error;
  }
  auto& response = parser.get();
  HttpReply reply{.status = response.result_int(),
                  .retry_after = read_retry_after(response[http::field::retry_after]),
                  .body = std::move(response.body())};
  if (response.keep_alive()) {
    stream_->expires_never();
  } else {
    close();
  }
  co_return reply;
}

asio::awaitable<Result<tcp::endpoint>> locate(Endpoint endpoint) {
  boost::system::error_code error;
  const auto literal = asio::ip::make_address(endpoint.host, error);
  if (!error) co_return tcp::endpoint{literal, endpoint.port};
  tcp::resolver resolver{co_await asio::this_coro::executor};
  const auto [failure, found] =
      co_await resolver.async_resolve(endpoint.host, std::to_string(endpoint.port), net::use_tuple);
  if (failure) co_return failure;
  co_return found.begin()->endpoint();
}

}  // namespace fixkeep::client_sim
