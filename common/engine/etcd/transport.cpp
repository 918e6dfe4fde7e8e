#include "common/engine/etcd/transport.hpp"

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <deque>
#include <utility>

#include "common/base/random.hpp"
#include "common/net/coroutines.hpp"
#include "common/obs/log.hpp"

namespace fixkeep::engine {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::size_t most_body_bytes = 1U << 20U;
constexpr Duration first_pause = std::chrono::milliseconds{10};
constexpr Duration longest_pause = std::chrono::seconds{1};
constexpr unsigned most_doublings = 7;  // of the pause

struct Connection {
  Connection(asio::io_context& context, const EtcdTransportOptions& options)
      : stream(context, options.tls) {}

  [[nodiscard]] beast::tcp_stream& tcp() { return stream.next(); }

  net::TrustedStream<beast::tcp_stream> stream;
  beast::flat_buffer buffer;
  std::uint64_t generation = 0;
  bool connected = false;
  bool busy = false;
};

struct Job {
  std::string path;
  std::string body;
  EtcdTransport::Handler handler;
};

http::request<http::string_body> make_request(const std::string& path, std::string body,
                                              const ServerAddress& server,
                                              const std::string& authorization) {
  http::request<http::string_body> request{http::verb::post, path, 11};
  request.set(http::field::host, server.host);
  request.set(http::field::content_type, "application/json");
  if (!authorization.empty()) request.set(http::field::authorization, authorization);
  request.body() = std::move(body);
  request.prepare_payload();
  return request;
}

Failure kind_of(error_code reason) {
  if (reason == Errc::malformed_message) return Failure::refused;
  const bool late = reason == beast::error::timeout || reason == asio::error::operation_aborted ||
                    reason == asio::error::timed_out;
  return late ? Failure::timeout : Failure::unreachable;
}

// The server has no leader, no quorum or no time: another server may do, or a later attempt.
bool cannot_serve(unsigned status) {
  return status >= 500 || status == 408 || status == 429;
}

}  // namespace

struct EtcdTransport::Impl : std::enable_shared_from_this<Impl> {
  Impl(asio::io_context& given_context, EtcdTransportOptions given_options,
       EngineStatistics& given_statistics, std::function<void(bool)> given_on_reachable)
      : context(given_context),
        options(std::move(given_options)),
        statistics(&given_statistics),
        on_reachable(std::move(given_on_reachable)),
        random(options.seed),
        pause_timer(context) {}

  asio::io_context& context;
  EtcdTransportOptions options;
  EngineStatistics* statistics;  // the engine's, which closes us before it ends
  std::function<void(bool)> on_reachable;
  Random random;
  asio::steady_timer pause_timer;
  bool pausing = false;
  bool closed = false;
  bool reachable = false;
  bool was_reachable = false;  // at any time
  std::string authorization;

  std::size_t current = 0;       // of options.servers
  std::uint64_t generation = 0;  // grows when another server becomes current
  std::size_t failures = 0;      // servers that failed since the last answer
  std::deque<Job> urgent;
  std::deque<Job> waiting;
  std::vector<std::shared_ptr<Connection>> connections;
  std::size_t busy = 0;

  std::shared_ptr<Connection> stream;
  StreamHandlers stream_handlers;

  // --- which server

  void succeeded() {
    failures = 0;
    if (reachable) return;
    reachable = true;
    if (std::exchange(was_reachable, true)) ++statistics->reconnects;
    obs::log_info("etcd answers", {{"server", options.servers[current].host},
                                   {"port", options.servers[current].port}});
    const auto tell = on_reachable;  // which may close us
    tell(true);
  }

  void failed(std::uint64_t of_generation, error_code reason) {
    if (of_generation != generation || closed) return;
    if (reachable) {
      obs::log_warning("etcd does not answer", {{"server", options.servers[current].host},
                                                {"port", options.servers[current].port},
                                                {"reason", reason.message()}});
    }
    ++generation;
    ++failures;
    ++statistics->connections_lost;
    statistics->failed(kind_of(reason), to_string(options.servers[current]), reason.message());
    current = (current + 1) % options.servers.size();
    if (stream) drop_stream();
    if (failures % options.servers.size() != 0) return;
    pause();
    if (!reachable) return;
    reachable = false;
    const auto tell = on_reachable;
    tell(false);
  }

  void pause() {
    const auto rounds = static_cast<unsigned>(failures / options.servers.size());
    const auto most =
        std::min(longest_pause, first_pause * (1U << std::min(rounds, most_doublings)));
    pausing = true;
    pause_timer.expires_after(Duration{random.between(most.count() / 2, most.count())});
    pause_timer.async_wait([self = shared_from_this()](error_code error) {
      if (error || self->closed) return;
      self->pausing = false;
      self->pump();
    });
  }

  // --- requests

  void pump() {
    while (!closed && !pausing && !(urgent.empty() && waiting.empty())) {
      const bool hurries = !urgent.empty();
      if (busy >= options.connections + (hurries ? 1 : 0)) return;
      auto connection = idle_connection();
      auto& queue = hurries ? urgent : waiting;
      connection->busy = true;
      ++busy;
      auto job = std::make_shared<Job>(std::move(queue.front()));
      queue.pop_front();
      asio::co_spawn(context, serve(shared_from_this(), std::move(connection), std::move(job)),
                     asio::detached);
    }
  }

  std::shared_ptr<Connection> idle_connection() {
    for (const auto& each : connections) {
      if (!each->busy) return each;
    }
    return connections.emplace_back(std::make_shared<Connection>(context, options));
  }

  static asio::awaitable<void> serve(std::shared_ptr<Impl> self,
                                     std::shared_ptr<Connection> connection,
                                     std::shared_ptr<Job> job) {
    auto reply = co_await ask(self, connection, *job);
    connection->busy = false;
    --self->busy;
    if (self->closed) co_return;
    if (reply && cannot_serve(reply->status)) {
      obs::log_debug("etcd cannot serve", {{"status", reply->status}, {"answer", reply->body}});
      reply = Errc::malformed_message;
    }
    if (reply) {
      self->succeeded();
    } else {
      self->failed(connection->generation, reply.error());
    }
    if (!self->closed) job->handler(std::move(reply));
    self->pump();
  }

  static asio::awaitable<Result<EtcdReply>> ask(std::shared_ptr<Impl> self,
                                                std::shared_ptr<Connection> connection, Job& job) {
    if (const auto error = co_await connect(self, *connection)) co_return error;
    const auto request = make_request(job.path, std::move(job.body),
                                      self->options.servers[self->current], self->authorization);
    auto& stream = connection->stream;
    connection->tcp().expires_after(self->options.reply);
    ++self->statistics->requests_sent;
    const auto [unsent, sent] = co_await http::async_write(stream, request, net::use_tuple);
    if (!self->closed) self->statistics->bytes_sent += sent;
    http::response_parser<http::string_body> parser;
    parser.body_limit(most_body_bytes);
    error_code error = unsent;
    if (!error) {
      const auto [unread, read] =
          co_await http::async_read(stream, connection->buffer, parser, net::use_tuple);
      if (!self->closed) self->statistics->bytes_received += read;
      error = unread;
    }
    connection->tcp().expires_never();
    if (error || self->closed || !parser.get().keep_alive()) disconnect(*connection);
    if (error) co_return error;
    if (!self->closed) ++self->statistics->replies_received;
    co_return EtcdReply{parser.get().result_int(), std::move(parser.get().body())};
  }

  static void disconnect(Connection& connection) {
    connection.connected = false;
    connection.tcp().close();
    connection.buffer.clear();
  }

  // To the server that is current; a connection to an earlier one is closed.
  static asio::awaitable<error_code> connect(std::shared_ptr<Impl> self, Connection& connection) {
    if (connection.connected && connection.generation == self->generation) co_return error_code{};
    disconnect(connection);
    connection.generation = self->generation;
    const auto server = self->options.servers[self->current];
    error_code error;
    const auto literal = asio::ip::make_address(server.host, error);
    tcp::endpoint where{literal, server.port};
    if (error) {
      const auto resolver = std::make_shared<tcp::resolver>(self->context);
      asio::steady_timer limit{self->context, self->options.reply};
      limit.async_wait([resolver](error_code cancelled) {
        if (!cancelled) resolver->cancel();
      });
      const auto [unknown, found] = co_await resolver->async_resolve(
          server.host, std::to_string(server.port), net::use_tuple);
      if (unknown) co_return unknown;
      where = found.begin()->endpoint();
    }
    if (self->closed) co_return asio::error::operation_aborted;
    connection.tcp().expires_after(self->options.reply);
    const auto [refused] = co_await connection.tcp().async_connect(where, net::use_tuple);
    if (refused) co_return refused;
    if (self->closed) co_return asio::error::operation_aborted;
    error_code ignored;  // without it the answers only come later
    connection.tcp().socket().set_option(tcp::no_delay{true}, ignored);
    const auto [unwelcome] = co_await connection.stream.async_welcome(server.host, net::use_tuple);
    if (unwelcome) co_return unwelcome;
    if (self->closed) co_return asio::error::operation_aborted;
    connection.connected = true;
    co_return error_code{};
  }

  // --- the stream

  static asio::awaitable<void> listen(std::shared_ptr<Impl> self,
                                      std::shared_ptr<Connection> connection, std::string path,
                                      std::string body) {
    co_await read_stream(self, connection, std::move(path), std::move(body));
    disconnect(*connection);
    if (self->closed || self->stream != connection) co_return;
    self->drop_stream();
  }

  static asio::awaitable<void> read_stream(std::shared_ptr<Impl> self,
                                           std::shared_ptr<Connection> connection, std::string path,
                                           std::string body) {
    auto& stream = connection->stream;
    if (co_await connect(self, *connection)) co_return;
    const auto request = make_request(path, std::move(body), self->options.servers[self->current],
                                      self->authorization);
    connection->tcp().expires_after(self->options.reply);
    const auto [unsent, sent] = co_await http::async_write(stream, request, net::use_tuple);
    if (unsent || self->stream != connection) co_return;
    self->statistics->bytes_sent += sent;
    ++self->statistics->requests_sent;
    const auto on_line = self->stream_handlers.on_line;  // which may close us
    http::response_parser<http::string_body> parser;
    parser.body_limit(boost::none);
    for (error_code error; !error && !parser.is_done();) {
      const auto [unread, read] =
          co_await http::async_read_some(stream, connection->buffer, parser, net::use_tuple);
      if (self->closed || self->stream != connection) co_return;
      self->statistics->bytes_received += read;
      error = unread;
      connection->tcp().expires_never();  // it was opened in time; from now on it may be silent
      auto& text = parser.get().body();
      for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
        const auto line = text.substr(0, end);
        text.erase(0, end + 1);
        on_line(line);
        if (self->closed || self->stream != connection) co_return;
      }
      if (text.size() > most_body_bytes) co_return;
    }
  }

  void drop_stream() {
    const auto ended = std::exchange(stream, nullptr);
    ended->tcp().cancel();
    const auto handlers = std::exchange(stream_handlers, {});
    if (handlers.on_closed) handlers.on_closed();
  }

  void close() {
    closed = true;
    pause_timer.cancel();
    urgent.clear();
    waiting.clear();
    for (const auto& each : connections) each->tcp().close();
    if (stream) stream->tcp().close();
    stream.reset();
  }
};

EtcdTransport::EtcdTransport(asio::io_context& context, EtcdTransportOptions options,
                             EngineStatistics& statistics, std::function<void(bool)> on_reachable)
    : impl_(std::make_shared<Impl>(context, std::move(options), statistics,
                                   std::move(on_reachable))) {}
EtcdTransport::~EtcdTransport() {
  close();
}

void EtcdTransport::post(std::string_view path, std::string body, Handler handler, Order order) {
  if (impl_->closed) return;
  auto& queue = order == Order::urgent ? impl_->urgent : impl_->waiting;
  queue.push_back({std::string{path}, std::move(body), std::move(handler)});
  impl_->pump();
}

void EtcdTransport::open_stream(std::string_view path, std::string body, StreamHandlers handlers) {
  close_stream();
  if (impl_->closed) return;
  impl_->stream = std::make_shared<Connection>(impl_->context, impl_->options);
  impl_->stream_handlers = std::move(handlers);
  asio::co_spawn(impl_->context,
                 Impl::listen(impl_, impl_->stream, std::string{path}, std::move(body)),
                 asio::detached);
}

void EtcdTransport::close_stream() {
  if (!impl_->stream) return;
  impl_->stream_handlers = {};
  impl_->drop_stream();
}

void EtcdTransport::authorize(std::string token) {
  impl_->authorization = std::move(token);
}

void EtcdTransport::close() {
  impl_->close();
}

bool EtcdTransport::reachable() const {
  return impl_->reachable;
}

}  // namespace fixkeep::engine
