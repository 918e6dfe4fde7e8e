// SPDX-License-Identifier: MIT
#include <fixkeep_search.hpp>

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
#include <boost/json/value.hpp>
#include <charconv>
#include <condition_variable>
#include <mutex>
#include <random>
#include <stdexcept>

namespace fixkeep::client {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace json = boost::json;
using asio::use_awaitable;

constexpr std::chrono::seconds connect_time{5};  // for each address of a master
constexpr std::size_t answer_bytes = 64 * 1024;
constexpr Seconds first_pause{0.5};
constexpr Seconds longest_pause{8};
constexpr std::string_view problem = "urn:fixkeep:error:";

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

}  // namespace

std::string_view text_of(const json::object& object, std::string_view name) {
  const auto* const value = object.if_contains(name);
  if (value == nullptr || !value->is_string()) return {};
  return {value->get_string().data(), value->get_string().size()};
}

std::string type_of(const json::object& object) {
  const auto type = text_of(object, "type");
  return type.starts_with(problem) ? std::string{type.substr(problem.size())} : std::string{};
}

double draw() {
  thread_local std::mt19937_64 generator{std::random_device{}()};
  return std::uniform_real_distribution<double>{}(generator);
}

namespace {

using HttpRequest = http::request<http::string_body>;

template <typename Stream>
asio::awaitable<Answer> converse(Stream& stream, const HttpRequest& request) {
  co_await http::async_write(stream, request, use_awaitable);
  beast::flat_buffer buffer{answer_bytes};  // a chunk extension has no other bound
  http::response_parser<http::string_body> parser;
  parser.body_limit(answer_bytes);
  co_await http::async_read(stream, buffer, parser, use_awaitable);
  const auto& answer = parser.get();
  const auto after = answer[http::field::retry_after];
  co_return Answer{.status = answer.result_int(),
                   .after = seconds_of({after.data(), after.size()}),
                   .tag = std::string{answer[http::field::etag]},
                   .object = object_of(answer.body())};
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

asio::awaitable<Answer> exchange(const Endpoint& master, asio::ssl::context& tls,
                                 HttpRequest request) {
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

HttpRequest http_request(const Endpoint& master, const Request& request, const std::string& token) {
  HttpRequest made{http::string_to_verb(request.method), master.target + request.path, 11};
  const bool usual = master.port == (master.secure ? "443" : "80");
  made.set(http::field::host, usual ? master.host : master.host + ":" + master.port);
  made.set(http::field::accept, "application/json");
  if (request.body) {
    made.set(http::field::content_type, "application/json");
    made.body() = *request.body;
  }
  for (const auto& [name, value] : request.fields) made.set(name, value);
  if (!token.empty()) made.set(http::field::authorization, "Bearer " + token);
  made.keep_alive(false);
  made.prepare_payload();
  return made;
}

}  // namespace

Search::Search(std::vector<Endpoint> order, const Options& options, std::stop_token cancel)
    : order_(std::move(order)),
      options_(options),
      cancel_(std::move(cancel)),
      ready_(order_.size()),
      end_(Clock::now() + options.limit) {}

Result Search::run() {
  token_ = options_.token ? checked(options_.token(false)) : "";
  bool renewed = false;
  for (;;) {
    const auto at = await_a_master();
    if (!at) return result_;
    const auto [answer, why] = ask(*at, request(*at), cancel_, end_);
    if (cancel_.stop_requested()) return cancelled();
    if (answer && answer->status == 401 && options_.token && !renewed) {
      token_ = checked(options_.token(true));
      renewed = true;
      next_ = *at;
      continue;
    }
    renewed = false;
    if (!answer) {
      pause_for(*at, true, {.detail = order_[*at].address + ": " + why}, {});
      continue;
    }
    const auto taken = take(*at, *answer);
    if (taken == Taken::end || (taken == Taken::no && !consider(*at, *answer))) return result_;
  }
}

void Search::go_on(std::size_t at, Clock::time_point from, std::optional<Seconds> after) {
  if (after) from = Clock::now() + pause_after(*after);
  for (auto& ready : ready_) ready = std::max(ready, from);
  next_ = at;
  tries_ = 0;
}

// Handles an answer that is not the wanted one. Returns false if this answer ends the call.
bool Search::consider(std::size_t at, const Answer& answer) {
  const auto type = type_of(answer.object);
  if (type.empty()) {
    // The answer is not a master's, but perhaps a balancer's: another master may be reachable.
    const auto status = "status " + std::to_string(answer.status);
    pause_for(at, true, {.detail = order_[at].address + ": " + status}, answer.after);
    return true;
  }
  const Trouble trouble{type, std::string{text_of(answer.object, "detail")}, answer.status};
  const bool elsewhere = type == "not-ready" || type == "stopping" ||
                         type == "too-many-connections" || type == "already-waiting";
  if (!elsewhere && answer.status != 408 && answer.status != 429 && answer.status < 500) {
    end(Outcome::refused, trouble);
    return false;
  }
  pause_for(at, elsewhere, trouble, answer.after);
  return true;
}

// Waits until a master may be asked, and returns its index. Nullopt: the call has ended.
std::optional<std::size_t> Search::await_a_master() {
  const auto now = Clock::now();
  std::size_t at = next_;
  for (std::size_t i = 1; i < order_.size() && ready_[at] > now; ++i) {
    const auto other = (next_ + i) % order_.size();
    if (ready_[other] < ready_[at]) at = other;
  }
  if (std::max(ready_[at], now) >= end_) {
    end(Outcome::too_late, last_);
    return {};
  }
  std::mutex mutex;
  std::unique_lock lock{mutex};
  std::condition_variable_any().wait_until(lock, cancel_, ready_[at], [] { return false; });
  if (cancel_.stop_requested()) {
    result_ = cancelled();
    return {};
  }
  next_ = (at + 1) % order_.size();
  return at;
}

void Search::pause_for(std::size_t at, bool elsewhere, Trouble trouble,
                       std::optional<Seconds> after) {
  const auto round = std::min<std::size_t>(tries_++ / order_.size(), 10);
  const Seconds usual = std::min(longest_pause, first_pause * (1U << round)) / 1.5;
  const auto until = Clock::now() + (after ? pause_after(*after) : spread(usual));
  for (std::size_t i = 0; i < ready_.size(); ++i) {
    if (i == at || !elsewhere) ready_[i] = std::max(ready_[i], until);
  }
  last_ = std::move(trouble);
}

Clock::duration Search::spread(Seconds pause) {
  const double drawn = options_.random ? options_.random() : draw();
  return std::chrono::duration_cast<Clock::duration>(pause * (1 + drawn / 2));
}

Clock::duration Search::pause_after(Seconds after) {
  return spread(std::max(after, first_pause));
}

void Search::end(Outcome outcome, const Trouble& trouble) {
  result_ = {
      .outcome = outcome, .type = trouble.type, .detail = trouble.detail, .status = trouble.status};
}

// The end of `io` closes the connection of an unanswered request.
std::pair<std::optional<Answer>, std::string> Search::ask(std::size_t at, const Request& request,
                                                          const std::stop_token& cancel,
                                                          Clock::time_point end) {
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
  const auto& master = order_[at];
  asio::io_context io{1};
  const std::stop_callback hang_up{cancel, [&io] { io.stop(); }};
  asio::co_spawn(io, exchange(master, *options_.tls, http_request(master, request, token_)), done);
  io.run_until(std::min(end, Clock::now() + request.answer_time));
  return ended;
}

}  // namespace fixkeep::client
