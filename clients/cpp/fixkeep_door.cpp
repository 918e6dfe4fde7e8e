// SPDX-License-Identifier: MIT
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <fixkeep_door.hpp>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace fixkeep::client {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace json = boost::json;

constexpr std::size_t token_letters = 4096;
constexpr std::chrono::seconds answer_time{5};
constexpr std::size_t answer_bytes = 4096;
constexpr std::string_view letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

template <typename Bytes>
std::string to_base64url(const Bytes& bytes) {
  std::string text;
  unsigned bits = 0;
  int count = 0;
  for (const unsigned char byte : bytes) {
    bits = bits << 8U | byte;
    for (count += 8; count >= 6;) text += letters[bits >> static_cast<unsigned>(count -= 6) & 63U];
  }
  if (count > 0) text += letters[bits << static_cast<unsigned>(6 - count) & 63U];
  return text;
}

std::optional<std::string> from_base64url(std::string_view text) {
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char letter : text) {
    const auto value = letters.find(letter);
    if (value == std::string_view::npos) return {};
    bits = bits << 6U | static_cast<unsigned>(value);
    if ((count += 6) < 8) continue;
    bytes += static_cast<char>(bits >> static_cast<unsigned>(count -= 8) & 255U);
  }
  return bytes;
}

std::array<unsigned char, 32> hmac_sha256(const std::array<unsigned char, 32>& key,
                                          std::string_view message) {
  std::array<unsigned char, 32> digest{};
  unsigned length = 0;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(message.data());
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes, message.size(), digest.data(),
       &length);
  return digest;
}

std::optional<std::string_view> take_line(std::string_view& rest) {
  const auto end = rest.find('\n');
  if (end == std::string_view::npos) return {};
  const auto line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return line;
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr) {
    throw std::runtime_error{std::string{"there is no "} + name +
                             ": the worker starts games with it"};
  }
  return value;
}

asio::awaitable<bool> converse(unsigned short port, http::request<http::string_body> request) {
  boost::beast::tcp_stream stream{co_await asio::this_coro::executor};
  const asio::ip::tcp::endpoint worker{asio::ip::address_v4::loopback(), port};
  co_await stream.async_connect(worker, asio::use_awaitable);
  co_await http::async_write(stream, request, asio::use_awaitable);
  boost::beast::flat_buffer buffer{answer_bytes};  // a chunk extension has no other bound
  http::response_parser<http::string_body> parser;
  parser.body_limit(answer_bytes);
  co_await http::async_read(stream, buffer, parser, asio::use_awaitable);
  boost::system::error_code error;
  const auto answer = json::parse(parser.get().body(), error);
  if (error || parser.get().result() != http::status::ok || !answer.is_object()) co_return false;
  const auto* const said = answer.get_object().if_contains("bool");
  co_return said != nullptr && said->is_bool() && said->get_bool();
}

}  // namespace

Door Door::of_environment() {
  DoorOptions options{.room = variable("FIXKEEP_ROOM_ID"),
                      .sdk_port = variable("AGONES_SDK_HTTP_PORT")};
  const std::string hex = variable("FIXKEEP_SEAT_KEY");
  if (hex.size() != 2 * options.key.size()) throw std::runtime_error{"FIXKEEP_SEAT_KEY is no key"};
  for (std::size_t i = 0; i < options.key.size(); ++i) {
    const char* const pair = hex.data() + 2 * i;
    const auto [end, error] = std::from_chars(pair, pair + 2, options.key[i], 16);
    if (error != std::errc{} || end != pair + 2) {
      throw std::runtime_error{"FIXKEEP_SEAT_KEY is no key"};
    }
  }
  if (const char* const token = std::getenv("FIXKEEP_SDK_TOKEN")) options.sdk_token = token;
  return Door{std::move(options)};
}

std::optional<std::string> Door::admit(std::string_view token) const {
  auto player = player_of(token);
  if (player && !ask("connect", *player)) player.reset();
  return player;
}

bool Door::leave(std::string_view player) const {
  return ask("disconnect", player);
}

std::optional<std::string> Door::player_of(std::string_view token) const {
  auto seat = read(token);
  if (!seat) return {};
  return std::move(seat->player);
}

std::map<std::string, std::string> Door::facts_of(std::string_view token) const {
  std::map<std::string, std::string> facts;
  const auto seat = read(token);
  boost::system::error_code error;
  const auto told = json::parse(seat && !seat->facts.empty() ? seat->facts : "{}", error);
  if (error || !told.is_object()) return facts;
  for (const auto& [name, value] : told.get_object()) {
    if (value.is_string()) facts[name] = value.get_string();
  }
  return facts;
}

std::optional<Door::Seat> Door::read(std::string_view token) const {
  const auto dot = token.find('.');
  if (dot == std::string_view::npos || token.size() > token_letters) return {};
  const auto claims = token.substr(0, dot);
  const auto signature = token.substr(dot + 1);
  const auto wanted = to_base64url(hmac_sha256(options_.key, claims));
  if (signature.size() != wanted.size() ||
      CRYPTO_memcmp(signature.data(), wanted.data(), wanted.size()) != 0) {
    return {};
  }
  const auto text = from_base64url(claims);
  if (!text) return {};
  std::string_view rest{*text};
  const auto version = take_line(rest);
  const auto ends = take_line(rest);
  const auto room = take_line(rest);
  if (!room || *room != options_.room) return {};
  const auto facts = *version == "2" ? take_line(rest) : std::string_view{};
  if (!facts || (*version != "1" && *version != "2") || rest.empty()) return {};
  std::int64_t ends_ms = 0;
  const auto [end, error] = std::from_chars(ends->data(), ends->data() + ends->size(), ends_ms);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto now_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  if (error != std::errc{} || end != ends->data() + ends->size() || ends_ms <= now_ms) return {};
  return Seat{std::string{rest}, std::string{*facts}};
}

bool Door::ask(std::string_view what, std::string_view player) const {
  http::request<http::string_body> request{http::verb::post, "/alpha/player/" + std::string{what},
                                           11};
  request.set(http::field::host, "127.0.0.1:" + options_.sdk_port);
  request.set(http::field::content_type, "application/json");
  if (!options_.sdk_token.empty()) {
    request.set(http::field::authorization, "Bearer " + options_.sdk_token);
  }
  request.body() = json::serialize(json::object{{"playerID", player}});
  request.keep_alive(false);
  request.prepare_payload();
  const auto port =
      static_cast<unsigned short>(std::strtoul(options_.sdk_port.c_str(), nullptr, 10));
  bool yes = false;
  asio::io_context io{1};
  asio::co_spawn(io, converse(port, std::move(request)),
                 [&yes](const std::exception_ptr& error, bool said) { yes = !error && said; });
  io.run_for(answer_time);
  return yes;
}

}  // namespace fixkeep::client
