#include "tests/support/http_calls.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <optional>
#include <sstream>

#include "common/base/random.hpp"
#include "common/net/coroutines.hpp"

namespace fixkeep::support {
namespace {

namespace asio = boost::asio;

// For a server that keeps a connection open on which nothing comes any more.
constexpr std::chrono::milliseconds garbage_limit{3000};

asio::ip::tcp::endpoint place(const client_sim::Endpoint& where) {
  return {asio::ip::make_address(where.host), where.port};
}

Result<client_sim::HttpReply> call(const client_sim::Endpoint& where, const std::string& method,
                                   const std::string& target, const std::string& body,
                                   const std::string& token) {
  asio::io_context context{1};
  client_sim::HttpClient client{context.get_executor(), where, token};
  Result<client_sim::HttpReply> reply = Errc::stopping;
  const auto ask = [&]() -> asio::awaitable<void> {
    reply = co_await client.request(method, target, body, call_limit);
  };
  asio::co_spawn(context, ask, net::rethrow);
  context.run();
  return reply;
}

}  // namespace

Result<client_sim::HttpReply> get(const client_sim::Endpoint& where, const std::string& target,
                                  const std::string& token) {
  return call(where, "GET", target, {}, token);
}

Result<client_sim::HttpReply> post(const client_sim::Endpoint& where, const std::string& target,
                                   const std::string& body, const std::string& token) {
  return call(where, "POST", target, body, token);
}

Result<client_sim::HttpReply> put(const client_sim::Endpoint& where, const std::string& target,
                                  const std::string& body, const std::string& token) {
  return call(where, "PUT", target, body, token);
}

Result<client_sim::HttpReply> remove(const client_sim::Endpoint& where, const std::string& target,
                                     const std::string& token) {
  return call(where, "DELETE", target, {}, token);
}

nlohmann::json get_json(const client_sim::Endpoint& where, const std::string& target,
                        const std::string& token) {
  const auto reply = get(where, target, token);
  if (!reply || reply->status != 200) return nullptr;
  const auto document = nlohmann::json::parse(reply->body, nullptr, false);
  return document.is_discarded() ? nlohmann::json{nullptr} : document;
}

double get_metric(const client_sim::Endpoint& where, const std::string& name,
                  const std::string& label) {
  const auto page = get(where, "/metrics");
  if (!page || page->status != 200) return -1;
  std::istringstream lines{page->body};
  std::optional<double> sum;
  for (std::string line; std::getline(lines, line);) {
    const auto end = line.find_first_of("{ ");
    const auto value = line.rfind(' ');
    if (value == std::string::npos || line.substr(0, end) != "fixkeep_" + name) continue;
    if (line.substr(end, value - end).find(label) == std::string::npos) continue;
    sum = sum.value_or(0) + std::stod(line.substr(value + 1));
  }
  return sum.value_or(-1);
}

std::string match_body(const std::string& player, const std::string& region) {
  return client_sim::match_body({.player = player,
                                 .mode = "duel",
                                 .region = region,
                                 .version = "1",
                                 .wait_ms = call_limit.count()});
}

Result<client_sim::HttpReply> ask_for_seat(const client_sim::Endpoint& master,
                                           const std::string& player, const std::string& region) {
  return post(master, "/v1/match", match_body(player, region));
}

std::string join(const client_sim::MatchAnswer& seat) {
  asio::io_context context{1};
  client_sim::EntryResult entry;
  const auto visit = [&]() -> asio::awaitable<void> {
    entry = co_await client_sim::enter_room(seat, call_limit);
  };
  asio::co_spawn(context, visit, net::rethrow);
  context.run();
  if (entry.kind == client_sim::EntryResult::Kind::welcome) return "WELCOME";
  return entry.reason;
}

void throw_bytes(const client_sim::Endpoint& where, const std::string& bytes) {
  asio::io_context context{1};
  const auto attack = [&]() -> asio::awaitable<void> {
    boost::beast::tcp_stream stream{context};
    stream.expires_after(garbage_limit);
    const auto [refused] = co_await stream.async_connect(place(where), net::use_tuple);
    if (refused) co_return;
    const auto [unsent, sent] =
        co_await asio::async_write(stream, asio::buffer(bytes), net::use_tuple);
    boost::system::error_code closed = unsent;
    std::string answer(4096, '\0');
    while (!closed) {
      const auto [error, got] =
          co_await stream.async_read_some(asio::buffer(answer), net::use_tuple);
      closed = error;
    }
  };
  asio::co_spawn(context, attack, net::rethrow);
  context.run();
}

std::string random_bytes(std::size_t count, std::uint64_t seed) {
  Random random{seed};
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.below(256));
  return bytes;
}

}  // namespace fixkeep::support
