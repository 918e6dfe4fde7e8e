// fixkeep-bench-http-baseline: the most that a Beast server on one thread can do with our bytes.
//
// Parses the JSON of a POST /v1/match and answers a body of the shape and size of a master's, and
// does nothing else: no limits, no timeouts, no matching. What a master with free seats in reach
// serves is quoted as a ratio of this, measured in the same run with the same match.lua. With
// --ours the same answers come through HttpServer: what its limits, timeouts and hang-ups cost.
#include <CLI/CLI.hpp>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "common/net/http/server.hpp"

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

std::string match_answer(const std::string& body, unsigned long number) {
  const auto request = nlohmann::json::parse(body, nullptr, false);
  if (!request.is_object() || !request.contains("player_id") || !request.contains("mode")) {
    return R"({"error":"not a match request"})";
  }
  const nlohmann::json answer = {
      {"ticket_id", "m1-5f3a9c0211d2e4b7-" + std::to_string(number)},
      {"room_id", "w1-5f3a9c0211d2e4b7-" + std::to_string(number / 8)},
      {"group", request["mode"].get<std::string>() + "|region=eu-west|version=1.4.22|skill=1"},
      {"address", "127.0.0.1"},
      {"port", 20'000 + number / 8 % 1000},
      {"seat_token",
       "eyJyb29tIjoidzEtNWYzYTljMDIxMWQyZTRiNy0xMiIsInBsYXllciI6InAtMC0xMjM0NTYiLCJ"
       "leHBpcmVzX2F0IjoxNzYzNzA1NjAwMDAwfQ.3q2-7wAAAACrze_3q2-7wAAAACrze_3q2-7w"},
      {"expires_at", "2025-11-21T06:15:00.000Z"}};
  return answer.dump();
}

class Session : public std::enable_shared_from_this<Session> {
 public:
  explicit Session(tcp::socket socket) : socket_(std::move(socket)) {}

  void read() {
    request_ = {};
    http::async_read(socket_, buffer_, request_,
                     [self = shared_from_this()](error_code error, std::size_t) {
                       if (!error) self->answer();
                     });
  }

 private:
  void answer() {
    static unsigned long number = 0;
    response_ = {};
    response_.version(request_.version());
    response_.keep_alive(request_.keep_alive());
    response_.result(http::status::ok);
    response_.set(http::field::content_type, "application/json");
    response_.body() = match_answer(request_.body(), ++number);
    response_.prepare_payload();
    http::async_write(socket_, response_,
                      [self = shared_from_this()](error_code error, std::size_t) {
                        if (!error && self->request_.keep_alive()) self->read();
                      });
  }

  tcp::socket socket_;
  boost::beast::flat_buffer buffer_;
  http::request<http::string_body> request_;
  http::response<http::string_body> response_;
};

void accept(tcp::acceptor& acceptor) {
  acceptor.async_accept([&acceptor](error_code error, tcp::socket socket) {
    if (!acceptor.is_open()) return;
    if (!error) {
      socket.set_option(tcp::no_delay{true}, error);
      std::make_shared<Session>(std::move(socket))->read();
    }
    accept(acceptor);
  });
}

using Ours = std::unique_ptr<fixkeep::net::HttpServer>;

Ours start_ours(asio::io_context& context, std::uint16_t port) {
  using namespace fixkeep::net;
  HttpOptions options;
  options.port = port;
  auto server = HttpServer::start(
      context, options,
      [number = 0UL](HttpRequest&& request, const HttpResponder& responder) mutable {
        HttpAnswer answer;
        answer.body = match_answer(request.body(), ++number);
        responder.answer(std::move(answer));
      });
  return server ? std::move(*server) : nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"A bare Beast server that parses and answers the bytes of POST /v1/match"};
  std::uint16_t port = 0;
  unsigned seconds = 60;
  bool ours = false;
  app.add_option("--port", port, "port on 127.0.0.1; 0: any, it is printed")->capture_default_str();
  app.add_option("--seconds", seconds, "how long it serves")->capture_default_str();
  app.add_flag("--ours", ours, "serve through HttpServer instead");
  CLI11_PARSE(app, argc, argv);

  asio::io_context context{1};
  Ours server;
  tcp::acceptor acceptor{context};
  if (ours) {
    server = start_ours(context, port);
    if (!server) return 1;
    port = server->port();
  } else {
    acceptor = tcp::acceptor{context, {asio::ip::make_address("127.0.0.1"), port}};
    port = acceptor.local_endpoint().port();
    accept(acceptor);
  }
  std::printf("listening on 127.0.0.1:%u\n", unsigned{port});
  std::fflush(stdout);
  asio::steady_timer end{context, std::chrono::seconds{seconds}};
  end.async_wait([&context](error_code) { context.stop(); });
  context.run();
  return 0;
}
