#include "common/net/http/client.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <optional>
#include <string_view>

#include "common/net/coroutines.hpp"
#include "common/net/dial/dialler.hpp"
#include "common/net/http/response_reader.hpp"
#include "common/net/steady_clock.hpp"

namespace fixkeep::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using Local = asio::local::stream_protocol;
using boost::system::error_code;

namespace {

// Size of the first read buffer: small, because thousands of clients may wait at the same time. The
// buffer grows for a long answer.
constexpr std::size_t first_room_bytes = 1U << 10U;
constexpr std::size_t most_room_bytes = 16U << 10U;

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

// Returns the bytes of the request. No value if a part has characters that would change the meaning
// of the request.
std::optional<std::string> text_of(const HttpCall& call, const HttpClientOptions& options) {
  const bool colons = options.host.find(':') != std::string::npos;
  const std::string host =
      (colons ? '[' + options.host + ']' : options.host) + ':' + std::to_string(options.port);
  std::string text = call.method + ' ' + call.target +
                     " HTTP/1.1\r\nHost: " + (options.path.empty() ? host : "localhost") + "\r\n";
  bool sound = !has_control(call.method) && !has_control(call.target) &&
               call.target.find(' ') == std::string::npos && !has_control(options.host);
  for (const auto& [name, value] : call.fields) {
    sound = sound && !has_control(name) && !has_control(value);
    text += name + ": " + value + "\r\n";
  }
  if (!sound) return std::nullopt;
  if (!call.body.empty() || call.method != "GET") {
    text += "Content-Length: " + std::to_string(call.body.size()) + "\r\n";
  }
  return text + "\r\n" + call.body;
}

}  // namespace

struct HttpClient::Impl : std::enable_shared_from_this<Impl> {
  Impl(const asio::any_io_executor& executor, HttpClientOptions chosen)
      : options(std::move(chosen)),
        dialler(executor),
        stream(executor, options.trust),
        timer(executor) {}

  // --- the limit of a call

  void begin(Limit limit) {
    late = false;
    aborted = false;
    const std::uint64_t number = ++calls;
    if (limit == no_limit) {
      end = TimePoint::max();
      return;
    }
    end = steady_now() + limit;
    timer.expires_at(to_steady(end));
    timer.async_wait([self = shared_from_this(), number](error_code cancelled) {
      if (cancelled || self->calls != number) return;
      self->late = true;
      self->disconnect();
    });
  }

  // Ends the call. Returns operation_aborted or timed_out if this object has ended the call;
  // otherwise `error`.
  error_code finish(error_code error) {
    ++calls;
    timer.cancel();
    if (aborted) error = asio::error::operation_aborted;
    if (late) error = asio::error::timed_out;
    if (error) disconnect();
    return error;
  }

  void disconnect() {
    connected = false;
    dialler.cancel();
    error_code ignored;
    stream.next().close(ignored);
  }

  // --- the steps of a call

  static asio::awaitable<error_code> connect(std::shared_ptr<Impl> self) {
    if (self->connected && !self->is_stale()) co_return error_code{};
    self->disconnect();
    self->stage = Stage::dialling;
    const error_code away =
        self->options.path.empty() ? co_await dial(self) : co_await dial_local(self);
    if (away || self->over()) co_return self->over_or(away);
    self->stage = Stage::trusting;
    const auto [unwelcome] = co_await self->stream.async_welcome(self->options.host, use_tuple);
    if (unwelcome || self->over()) co_return self->over_or(unwelcome);
    self->connected = true;
    co_return error_code{};
  }

  static asio::awaitable<error_code> dial(std::shared_ptr<Impl> self) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(self->end - steady_now());
    DialTarget target{self->options.host, self->options.port, std::min(left, longest_dial)};
    auto [unreachable, socket] = co_await self->dialler.async_dial(std::move(target), use_tuple);
    if (unreachable || self->over()) co_return self->over_or(unreachable);
    error_code ignored;  // without this option, answers are only slower
    socket.set_option(tcp::no_delay{true}, ignored);
    // Without signs of life, a stream without a limit would wait forever after its server's machine
    // has died, or after a balancer has forgotten the connection.
    keep_alive(socket.native_handle(), signs_of_life);
    self->stream.next() = std::move(socket);
    co_return error_code{};
  }

  static asio::awaitable<error_code> dial_local(std::shared_ptr<Impl> self) {
    const std::string& path = self->options.path;
    if (path.size() >= sizeof sockaddr_un::sun_path || has_control(path)) {
      co_return Errc::malformed_message;
    }
    const auto [unreachable] =
        co_await self->stream.next().async_connect(Local::endpoint{path}, use_tuple);
    co_return unreachable;
  }

  static asio::awaitable<error_code> send(std::shared_ptr<Impl> self, const HttpCall& call,
                                          HttpReaderLimits limits) {
    const auto text = text_of(call, self->options);
    if (!text) co_return Errc::malformed_message;
    const error_code away = co_await connect(self);
    if (away) co_return away;
    self->stage = Stage::sending;
    self->reader.emplace(limits);
    const auto [unsent, bytes] =
        co_await asio::async_write(self->stream, asio::buffer(*text), use_tuple);
    self->sent += bytes;
    co_return self->over_or(unsent);
  }

  // Reads until the answer is complete or malformed, or until `enough` returns true.
  static asio::awaitable<error_code> read(std::shared_ptr<Impl> self,
                                          bool (*enough)(const HttpResponseReader&)) {
    self->stage = Stage::reading;
    std::string room(first_room_bytes, '\0');
    while (!self->reader->over() && !enough(*self->reader)) {
      const auto [ended, bytes] =
          co_await self->stream.async_read_some(asio::buffer(room), use_tuple);
      // A server that sends without a pause can delay the timer's handler, but not this check.
      if (steady_now() >= self->end) self->late = true;
      if (self->over()) co_return self->over_or({});
      self->received += bytes;
      const auto taken = self->reader->put({room.data(), bytes});
      if (taken < bytes) self->connected = false;  // the server sent more than the answer
      if (ended && ended != asio::error::eof) co_return ended;
      if (ended) self->connected = false;
      if (ended) self->reader->put_end();
      if (bytes == room.size() && bytes < most_room_bytes) room.resize(2 * bytes);
    }
    const bool failed = self->reader->state() == HttpResponseReader::State::failed;
    if (failed) co_return self->reader->error();
    const bool complete = self->reader->state() == HttpResponseReader::State::complete;
    if (complete && !(self->connected && self->reader->keep_alive())) self->disconnect();
    co_return error_code{};
  }

  static bool has_head(const HttpResponseReader& reader) {
    return reader.state() != HttpResponseReader::State::head;
  }
  static bool has_body(const HttpResponseReader& reader) { return !reader.body().empty(); }

  [[nodiscard]] bool over() const { return late || aborted; }
  [[nodiscard]] error_code over_or(error_code error) const {
    return over() ? asio::error::operation_aborted : error;
  }

  // An idle connection is stale if the server has closed it. Without TLS, it is also stale if the
  // server has sent bytes. With TLS, such bytes may be new keys.
  bool is_stale() {
    char byte = 0;
    const auto got = ::recv(stream.next().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (got < 0) return errno != EAGAIN && errno != EWOULDBLOCK;
    return got == 0 || !options.trust;
  }

  [[nodiscard]] HttpAnswerHead head() const {
    return {reader->status(), std::string{reader->field("retry-after")}};
  }

  // --- the calls

  static asio::awaitable<Result<>> connect_only(std::shared_ptr<Impl> self, Limit limit) {
    self->begin(limit);
    const error_code step = co_await connect(self);
    const error_code error = self->finish(step);
    if (error) co_return error;
    co_return Result<>{};
  }

  static asio::awaitable<Result<HttpReply>> ask(std::shared_ptr<Impl> self, HttpCall call,
                                                Limit limit) {
    self->begin(limit);
    const HttpReaderLimits limits{self->options.head_bytes, self->options.body_bytes, false};
    error_code step = co_await send(self, call, limits);
    if (!step) {
      const auto never = [](const HttpResponseReader&) { return false; };
      step = co_await read(self, never);
    }
    const error_code error = self->finish(step);
    if (error) co_return error;
    co_return HttpReply{self->head(), self->reader->take_body()};
  }

  static asio::awaitable<Result<HttpAnswerHead>> open(std::shared_ptr<Impl> self, HttpCall call,
                                                      Limit limit) {
    self->begin(limit);
    const HttpReaderLimits limits{self->options.head_bytes, self->options.body_bytes, true};
    error_code step = co_await send(self, call, limits);
    if (!step) step = co_await read(self, has_head);
    const error_code error = self->finish(step);
    if (error) co_return error;
    co_return self->head();
  }

  static asio::awaitable<Result<std::string>> read_more(std::shared_ptr<Impl> self, Limit limit) {
    self->begin(limit);
    const error_code step = co_await read(self, has_body);
    const error_code error = self->finish(step);
    if (error) co_return error;
    co_return self->reader->take_body();
  }

  static constexpr std::chrono::milliseconds longest_dial{std::chrono::hours{1}};

  const HttpClientOptions options;
  Dialler dialler;
  TrustedStream<asio::generic::stream_protocol::socket> stream;
  asio::steady_timer timer;
  TimePoint end;
  std::optional<HttpResponseReader> reader;
  std::uint64_t calls = 0;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  Stage stage = Stage::dialling;
  bool connected = false;
  bool late = false;
  bool aborted = false;
};

HttpClient::HttpClient(const asio::any_io_executor& executor, HttpClientOptions options)
    : impl_(std::make_shared<Impl>(executor, std::move(options))) {}

HttpClient::~HttpClient() {
  close();
}

asio::awaitable<Result<>> HttpClient::connect(Limit limit) {
  return Impl::connect_only(impl_, limit);
}
asio::awaitable<Result<HttpReply>> HttpClient::ask(HttpCall call, Limit limit) {
  return Impl::ask(impl_, std::move(call), limit);
}
asio::awaitable<Result<HttpAnswerHead>> HttpClient::open(HttpCall call, Limit limit) {
  return Impl::open(impl_, std::move(call), limit);
}
asio::awaitable<Result<std::string>> HttpClient::read_more(Limit limit) {
  return Impl::read_more(impl_, limit);
}

void HttpClient::close() {
  impl_->aborted = true;
  impl_->disconnect();
}

bool HttpClient::connected() const {
  return impl_->connected;
}
HttpClient::Stage HttpClient::stage() const {
  return impl_->stage;
}
std::uint64_t HttpClient::bytes_sent() const {
  return impl_->sent;
}
std::uint64_t HttpClient::bytes_received() const {
  return impl_->received;
}

}  // namespace fixkeep::net
