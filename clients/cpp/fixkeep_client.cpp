// SPDX-License-Identifier: MIT
#include <fixkeep_client.hpp>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <random>
#include <regex>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace fixkeep::client {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace json = boost::json;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;
using asio::use_awaitable;

constexpr std::chrono::seconds connect_time{5};  // for each address of a master
constexpr std::chrono::seconds answer_time{35};  // where the request has no wait_ms
constexpr std::chrono::seconds grace{5};         // what an answer may take beyond wait_ms
constexpr std::size_t answer_bytes = 64 * 1024;
constexpr Seconds first_pause{0.5};
constexpr Seconds longest_pause{8};
constexpr std::string_view problem = "urn:fixkeep:error:";

struct Answer {
  unsigned status = 0;
  std::optional<Seconds> after;  // Retry-After
  json::object object;           // empty if it is none: answers of balancers are anything
};

struct Trouble {
  std::string type;
  std::string detail;
  unsigned status = 0;
};

Endpoint parse_endpoint(const std::string& address) {
  static const std::regex form{
      R"(^(https?)://(\[[0-9A-Fa-f:.]+\]|[^/:?#@\[\]\s]+)(?::([0-9]{1,5}))?(/[^?#\s]*)?$)"};
  std::smatch parts;
  if (!std::regex_match(address, parts, form)) {
    throw std::invalid_argument{"a master is http://HOST:PORT or https://HOST:PORT, not " +
                                address};
  }
  Endpoint endpoint{.address = address, .host = parts[2], .port = parts[3], .target = parts[4]};
  endpoint.secure = parts[1] == "https";
  if (endpoint.port.empty()) endpoint.port = endpoint.secure ? "443" : "80";
  while (endpoint.target.ends_with('/')) endpoint.target.pop_back();
  endpoint.target += "/v1/match";
  return endpoint;
}

double draw() {
  thread_local std::mt19937_64 generator{std::random_device{}()};
  return std::uniform_real_distribution<double>{}(generator);
}

std::shared_ptr<asio::ssl::context> trust_of_the_system() {
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
  context->set_default_verify_paths();
  context->set_verify_mode(asio::ssl::verify_peer);
  return context;
}

// Refuses other characters: a line end in the token would add lines to the request's header.
std::string checked(std::string token) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view{"-._~+/="}.find(c) != std::string_view::npos;
  };
  if (!std::all_of(token.begin(), token.end(), fits)) {
    throw std::invalid_argument{"a token has letters, digits and -._~+/= alone (RFC 6750)"};
  }
  return token;
}

std::optional<Seconds> seconds_of(std::string_view text) {
  unsigned long seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc{} || end != text.data() + text.size() || text.size() > 9) return {};
  return Seconds{static_cast<double>(seconds)};
}

json::object object_of(const std::string& text) {
  boost::system::error_code error;
  auto value = json::parse(text, error);
  return !error && value.is_object() ? std::move(value.get_object()) : json::object{};
}

std::string_view text_of(const json::object& object, std::string_view name) {
  const auto* const value = object.if_contains(name);
  if (value == nullptr || !value->is_string()) return {};
  return {value->get_string().data(), value->get_string().size()};
}

bool is_seat(const json::object& answer) {
  for (const auto* const name : {"room_id", "address", "seat_token"}) {
    const auto* const value = answer.if_contains(name);
    if (value == nullptr || !value->is_string()) return false;
  }
  const auto* const port = answer.if_contains("port");
  return port != nullptr && port->is_int64() && port->get_int64() > 0 && port->get_int64() < 65536;
}

using Request = http::request<http::string_body>;

template <typename Stream>
asio::awaitable<Answer> converse(Stream& stream, const Request& request) {
  co_await http::async_write(stream, request, use_awaitable);
  beast::flat_buffer buffer{answer_bytes};  // a chunk extension has no other bound
  http::response_parser<http::string_body> parser;
  parser.body_limit(answer_bytes);
  co_await http::async_read(stream, buffer, parser, use_awaitable);
  const auto& answer = parser.get();
  const auto after = answer[http::field::retry_after];
  co_return Answer{answer.result_int(), seconds_of({after.data(), after.size()}),
                   object_of(answer.body())};
}

// Tries the addresses of the master's name, in the system's order, until one accepts.
asio::awaitable<void> connect(beast::tcp_stream& stream, const Endpoint& master) {
  asio::ip::tcp::resolver resolver{stream.get_executor()};
  const bool in_brackets = master.host.starts_with('[');
  const auto name = in_brackets ? master.host.substr(1, master.host.size() - 2) : master.host;
  const auto found = co_await resolver.async_resolve(name, master.port, use_awaitable);
  boost::system::error_code error;
  for (const auto& entry : found) {
    stream.expires_after(connect_time);
    auto token = asio::redirect_error(use_awaitable, error);
    co_await stream.async_connect(entry.endpoint(), std::move(token));
    if (!error) break;
    stream.close();
  }
  if (error) throw boost::system::system_error{error};
  stream.expires_never();
}

asio::awaitable<Answer> ask(const Endpoint& master, asio::ssl::context& tls, Request request) {
  const auto executor = co_await asio::this_coro::executor;
  if (!master.secure) {
    beast::tcp_stream stream{executor};
    co_await connect(stream, master);
    co_return co_await converse(stream, request);
  }
  beast::ssl_stream<beast::tcp_stream> stream{executor, tls};
  co_await connect(beast::get_lowest_layer(stream), master);
  boost::system::error_code no_name;
  asio::ip::make_address(master.host, no_name);
  if (no_name) SSL_set_tlsext_host_name(stream.native_handle(), master.host.c_str());
  stream.set_verify_callback(asio::ssl::host_name_verification{master.host});
  co_await stream.async_handshake(asio::ssl::stream_base::client, use_awaitable);
  co_return co_await converse(stream, request);
}

// One call of find_seat.
class Search {
 public:
  Search(std::vector<Endpoint> order, const Options& options, const json::object& wanted,
         std::stop_token cancel)
      : order_(std::move(order)),
        options_(options),
        body_(json::serialize(wanted)),
        cancel_(std::move(cancel)),
        ready_(order_.size()),
        end_(Clock::now() + options.limit) {
    const auto* const wait = wanted.if_contains("wait_ms");
    if (wait != nullptr && wait->is_number()) {
      const std::chrono::milliseconds said{wait->to_number<std::int64_t>()};
      answer_time_ = std::clamp<std::chrono::milliseconds>(said, {}, std::chrono::hours{1}) + grace;
    }
  }

  Result run() {
    std::string token = options_.token ? checked(options_.token(false)) : "";
    bool renewed = false;
    for (;;) {
      const auto at = await_a_master();
      if (!at) return result_;
      auto [answer, why] = answer_of(order_[*at], token);
      if (cancel_.stop_requested())
        return Result{.outcome = Outcome::cancelled, .detail = "cancelled"};
      if (answer && answer->status == 200 && is_seat(answer->object)) {
        return {.outcome = Outcome::seat, .seat = std::move(answer->object)};
      }
      if (answer && answer->status == 401 && options_.token && !renewed) {
        token = checked(options_.token(true));
        renewed = true;
        next_ = *at;
        continue;
      }
      renewed = false;
      if (!answer) {
        pause_for(*at, true, {.detail = order_[*at].address + ": " + why}, {});
      } else if (!consider(*at, *answer)) {
        return result_;
      }
    }
  }

 private:
  // Handles a master's answer that has no seat. Returns false if this answer ends the call.
  bool consider(std::size_t at, const Answer& answer) {
    auto type = text_of(answer.object, "type");
    if (!type.starts_with(problem)) {
      // The answer is not a master's, but perhaps a balancer's: another master may be reachable.
      const auto status = "status " + std::to_string(answer.status);
      pause_for(at, true, {.detail = order_[at].address + ": " + status}, answer.after);
      return true;
    }
    type.remove_prefix(problem.size());
    const Trouble trouble{std::string{type}, std::string{text_of(answer.object, "detail")},
                          answer.status};
    if (answer.status != 408 && answer.status != 429 && answer.status < 500) {
      result_ = {.outcome = Outcome::refused,
                 .type = trouble.type,
                 .detail = trouble.detail,
                 .status = trouble.status};
      return false;
    }
    const bool elsewhere =
        type == "not-ready" || type == "stopping" || type == "too-many-connections";
    pause_for(at, elsewhere, trouble, answer.after);
    return true;
  }

  // Waits until a master may be asked, and returns its index. Nullopt: the call has ended.
  std::optional<std::size_t> await_a_master() {
    const auto now = Clock::now();
    std::size_t at = next_;
    for (std::size_t i = 1; i < order_.size() && ready_[at] > now; ++i) {
      const auto other = (next_ + i) % order_.size();
      if (ready_[other] < ready_[at]) at = other;
    }
    if (std::max(ready_[at], now) >= end_) {
      result_ = {.type = last_.type, .detail = last_.detail, .status = last_.status};
      return {};
    }
    std::mutex mutex;
    std::unique_lock lock{mutex};
    std::condition_variable_any().wait_until(lock, cancel_, ready_[at], [] { return false; });
    if (cancel_.stop_requested()) {
      result_ = {.outcome = Outcome::cancelled, .detail = "cancelled"};
      return {};
    }
    next_ = (at + 1) % order_.size();
    return at;
  }

  void pause_for(std::size_t at, bool elsewhere, Trouble trouble, std::optional<Seconds> after) {
    const double spread = 1 + (options_.random ? options_.random() : draw()) / 2;
    const auto round = std::min<std::size_t>(tries_++ / order_.size(), 10);
    Seconds pause = std::min(longest_pause, first_pause * (1U << round)) * spread / 1.5;
    if (after) pause = std::max(*after, first_pause) * spread;
    const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(pause);
    for (std::size_t i = 0; i < ready_.size(); ++i) {
      if (i == at || !elsewhere) ready_[i] = std::max(ready_[i], until);
    }
    last_ = std::move(trouble);
  }

  // Returns the master's answer, or the reason why there is none. The end of `io` closes the
  // connection of an unanswered request.
  std::pair<std::optional<Answer>, std::string> answer_of(const Endpoint& master,
                                                          const std::string& token) {
    Request request{http::verb::post, master.target, 11, body_};
    const bool usual = master.port == (master.secure ? "443" : "80");
    request.set(http::field::host, usual ? master.host : master.host + ":" + master.port);
    request.set(http::field::content_type, "application/json");
    request.set(http::field::accept, "application/json");
    if (!token.empty()) request.set(http::field::authorization, "Bearer " + token);
    request.keep_alive(false);
    request.prepare_payload();

    std::pair<std::optional<Answer>, std::string> ended{{}, "no answer in time"};
    const auto done = [&ended](const std::exception_ptr& error, Answer answer) {
      if (!error) {
        ended.first = std::move(answer);
        return;
      }
      try {
        std::rethrow_exception(error);
      } catch (const std::exception& known) { ended.second = known.what(); }
    };
    asio::io_context io{1};
    const std::stop_callback hang_up{cancel_, [&io] { io.stop(); }};
    asio::co_spawn(io, ask(master, *options_.tls, std::move(request)), done);
    io.run_until(std::min(end_, Clock::now() + answer_time_));
    return ended;
  }

  const std::vector<Endpoint> order_;
  const Options& options_;
  const std::string body_;
  const std::stop_token cancel_;
  std::vector<Clock::time_point> ready_;  // when each master may be asked again
  const Clock::time_point end_;
  Clock::duration answer_time_ = answer_time;
  std::size_t tries_ = 0;
  std::size_t next_ = 0;
  Trouble last_{.detail = "no master was asked"};
  Result result_;
};

}  // namespace

MatchClient::MatchClient(const std::vector<std::string>& masters, Options options)
    : options_(std::move(options)) {
  for (const auto& address : masters) masters_.push_back(parse_endpoint(address));
  if (masters_.empty()) throw std::invalid_argument{"there is no master to ask"};
  if (!options_.tls) options_.tls = trust_of_the_system();
}

Result MatchClient::find_seat(const json::object& wanted, const std::stop_token& cancel) const {
  auto order = masters_;
  for (std::size_t i = order.size() - 1; i > 0 && !options_.keep_order; --i) {
    const double drawn = options_.random ? options_.random() : draw();
    std::swap(order[i], order[static_cast<std::size_t>(drawn * static_cast<double>(i + 1))]);
  }
  return Search{std::move(order), options_, wanted, cancel}.run();
}

}  // namespace fixkeep::client
