#include "client-sim/load/http_client.hpp"

#include <charconv>
#include <string_view>
#include <utility>

namespace fixkeep::client_sim {

namespace asio = boost::asio;

namespace {

constexpr std::size_t most_body_bytes = 16U << 20U;

std::chrono::seconds read_retry_after(std::string_view text) {
  unsigned seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  // Retry-After can also be a date. We ignore a date, because it is useful only if the two wall
  // clocks agree.
  if (error != std::errc{} || end != text.data() + text.size()) return std::chrono::seconds{0};
  return std::chrono::seconds{seconds};
}

}  // namespace

HttpClient::HttpClient(const asio::any_io_executor& executor, const Endpoint& where,
                       std::string token)
    : client_(std::make_unique<net::HttpClient>(
          executor,
          net::HttpClientOptions{
              .host = where.host, .port = where.port, .body_bytes = most_body_bytes})),
      token_(std::move(token)) {}

asio::awaitable<Result<void>> HttpClient::connect(std::chrono::milliseconds limit) {
  return client_->connect(limit);
}

asio::awaitable<Result<HttpReply>> HttpClient::request(std::string method, std::string target,
                                                       std::string body,
                                                       std::chrono::milliseconds limit) {
  net::HttpCall call{.method = std::move(method),
                     .target = std::move(target),
                     .fields = {{"User-Agent", "fixkeep-client-sim"}},
                     .body = std::move(body)};
  if (!token_.empty()) call.fields.emplace_back("Authorization", "Bearer " + token_);
  if (!call.body.empty()) call.fields.emplace_back("Content-Type", "application/json");
  auto reply = co_await client_->ask(std::move(call), limit);
  if (!reply) co_return reply.error();
  co_return HttpReply{.status = reply->status,
                      .retry_after = read_retry_after(reply->retry_after),
                      .body = std::move(reply->body)};
}

}  // namespace fixkeep::client_sim
