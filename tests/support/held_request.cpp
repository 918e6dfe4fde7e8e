#include "tests/support/held_request.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/support/http_calls.hpp"

namespace fixkeep::support {

namespace asio = boost::asio;

HeldRequest::HeldRequest(const client_sim::Endpoint& master, const std::string& body) {
  send(master, "POST /v1/match", "Content-Type: application/json\r\n", body);
}

HeldRequest HeldRequest::look(const client_sim::Endpoint& master, const std::string& target,
                              const std::string& fields) {
  HeldRequest request;
  request.send(master, "GET " + target, fields, {});
  return request;
}

void HeldRequest::send(const client_sim::Endpoint& master, const std::string& line,
                       const std::string& fields, const std::string& body) {
  socket_.connect({asio::ip::make_address(master.host), master.port});
  const std::string request = line + " HTTP/1.1\r\nHost: " + master.host + "\r\n" + fields +
                              "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  asio::write(socket_, asio::buffer(request));
}

void HeldRequest::hang_up() {
  socket_.close();
}

client_sim::HttpReply HeldRequest::answer() {
  boost::beast::tcp_stream stream{std::move(socket_)};
  boost::beast::flat_buffer buffer;
  boost::beast::http::response<boost::beast::http::string_body> response;
  boost::system::error_code failure = asio::error::would_block;
  stream.expires_after(call_limit);
  boost::beast::http::async_read(
      stream, buffer, response,
      [&](boost::system::error_code error, std::size_t) { failure = error; });
  context_->restart();
  context_->run();
  if (failure) throw std::runtime_error("no answer: " + failure.message());
  return {.status = response.result_int(), .retry_after = {}, .body = response.body()};
}

std::string party_body(const std::vector<std::string>& players, const std::string& region) {
  auto body = nlohmann::json::parse(match_body(players.front(), region));
  body["party"] = std::vector<std::string>(players.begin() + 1, players.end());
  return body.dump();
}

std::vector<client_sim::MatchAnswer> seats_of(const std::string& body) {
  const auto own = client_sim::parse_match_answer(body);
  if (!own) throw std::runtime_error("no seat: " + body);
  std::vector<client_sim::MatchAnswer> seats{*own};
  const auto document = nlohmann::json::parse(body);
  for (const auto& member : document.value("party", nlohmann::json::array())) {
    auto seat = *own;
    seat.seat_token = member.at("seat_token").get<std::string>();
    seats.push_back(seat);
  }
  return seats;
}

}  // namespace fixkeep::support
