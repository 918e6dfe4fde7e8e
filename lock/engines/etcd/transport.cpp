#include "lock/engines/etcd/transport.hpp"

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>
#include <utility>

#include "common/base/random.hpp"
#include "common/net/http/client.hpp"
#include "common/net/http/response_reader.hpp"
#include "common/obs/log.hpp"
#include "lock/engines/etcd/wire.hpp"

namespace fixkeep::engine {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::size_t most_body_bytes = 1U << 20U;
constexpr Duration first_pause = std::chrono::milliseconds{10};
constexpr Duration longest_pause = std::chrono::seconds{1};
constexpr unsigned most_doublings = 7;  // the pause grows to at most 128 times its first length

struct Connection {
  Connection(asio::io_context& context, const EtcdTransportOptions& options,
             const ServerAddress& server, std::uint64_t of_generation)
      : client(context.get_executor(), {.host = server.host,
                                        .port = server.port,
                                        .trust = options.tls,
                                        .body_bytes = most_body_bytes}),
        generation(of_generation) {}

  net::HttpClient client;
  const std::uint64_t generation;
  std::uint64_t counted_sent = 0;
  std::uint64_t counted_received = 0;
  bool busy = false;
};

struct Job {
  std::string path;
  std::string body;
  EtcdTransport::Handler handler;
};

Failure kind_of(error_code reason) {
  const bool refused = reason == Errc::malformed_message ||
                       reason == net::HttpAnswerError::malformed ||
                       reason == net::HttpAnswerError::too_large;
  if (refused) return Failure::refused;
  const bool late = reason == asio::error::operation_aborted || reason == asio::error::timed_out;
  return late ? Failure::timeout : Failure::unreachable;
}

// Returns true if the server has no leader or no quorum, or is too busy. Another server or a later
// attempt may succeed.
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
  bool was_reachable = false;  // a server has been reached before
  std::string authorization;

  std::size_t current = 0;       // index into options.servers
  std::uint64_t generation = 0;  // grows when another server becomes current
  std::size_t failures = 0;      // servers that failed since the last answer
  std::deque<Job> urgent;
  std::deque<Job> waiting;
  std::vector<std::shared_ptr<Connection>> connections;
  std::size_t busy = 0;

  std::shared_ptr<Connection> stream;
  StreamHandlers stream_handlers;

  // --- choice of the server

  void succeeded() {
    failures = 0;
    if (reachable) return;
    reachable = true;
    if (std::exchange(was_reachable, true)) ++statistics->reconnects;
    obs::log_info("etcd answers", {{"server", options.servers[current].host},
                                   {"port", options.servers[current].port}});
    const auto tell = on_reachable;  // a copy: the call may close us
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

  // Returns a connection to the current server. Connections to earlier servers are closed as soon
  // as they are idle.
  std::shared_ptr<Connection> idle_connection() {
    std::erase_if(connections, [this](const auto& each) {
      return !each->busy && each->generation != generation;
    });
    for (const auto& each : connections) {
      if (!each->busy) return each;
    }
    return connections.emplace_back(connect());
  }

  [[nodiscard]] std::shared_ptr<Connection> connect() const {
    return std::make_shared<Connection>(context, options, options.servers[current], generation);
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
    const auto limit = self->reply_limit();
    if (!connection->client.connected()) {
      const auto connected = co_await connection->client.connect(limit);
      if (!connected) co_return connected.error();
      if (self->closed) co_return Errc::stopping;
    }
    ++self->statistics->requests_sent;
    auto call = self->call_of(job.path, std::move(job.body));
    auto reply = co_await connection->client.ask(std::move(call), limit);
    if (self->closed) co_return Errc::stopping;
    self->count(*connection);
    if (!reply) co_return reply.error();
    ++self->statistics->replies_received;
    co_return EtcdReply{reply->status, std::move(reply->body)};
  }

  [[nodiscard]] net::HttpCall call_of(const std::string& path, std::string body) const {
    net::HttpCall call{.method = "POST",
                       .target = path,
                       .fields = {{"Content-Type", "application/json"}},
                       .body = std::move(body)};
    if (!authorization.empty() && path != authenticate_path) {
      call.fields.emplace_back("Authorization", authorization);
    }
    return call;
  }

  void count(Connection& connection) const {
    const auto sent = connection.client.bytes_sent();
    const auto received = connection.client.bytes_received();
    statistics->bytes_sent += sent - std::exchange(connection.counted_sent, sent);
    statistics->bytes_received += received - std::exchange(connection.counted_received, received);
  }

  [[nodiscard]] std::chrono::milliseconds reply_limit() const {
    return std::chrono::ceil<std::chrono::milliseconds>(options.reply);
  }

  // --- the stream

  static asio::awaitable<void> listen(std::shared_ptr<Impl> self,
                                      std::shared_ptr<Connection> connection, std::string path,
                                      std::string body) {
    co_await read_stream(self, connection, std::move(path), std::move(body));
    connection->client.close();
    if (self->closed || self->stream != connection) co_return;
    self->drop_stream();
  }

  // Opens the stream and reads its lines until it ends. Only the opening has a time limit: an open
  // stream may be silent.
  static asio::awaitable<void> read_stream(std::shared_ptr<Impl> self,
                                           std::shared_ptr<Connection> connection, std::string path,
                                           std::string body) {
    const auto limit = self->reply_limit();
    auto call = self->call_of(path, std::move(body));
    const auto connected = co_await connection->client.connect(limit);
    if (!connected || self->stream != connection) co_return;
    ++self->statistics->requests_sent;
    const auto opened = co_await connection->client.open(std::move(call), limit);
    if (!opened || self->stream != connection) co_return;
    const auto on_line = self->stream_handlers.on_line;  // a copy: the call may close us
    std::string text;
    for (;;) {
      const auto more = co_await connection->client.read_more(net::HttpClient::no_limit);
      if (self->closed || self->stream != connection) co_return;
      self->count(*connection);
      if (!more || more->empty()) co_return;
      text += *more;
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
    ended->client.close();
    const auto handlers = std::exchange(stream_handlers, {});
    if (handlers.on_closed) handlers.on_closed();
  }

  void close() {
    closed = true;
    pause_timer.cancel();
    urgent.clear();
    waiting.clear();
    for (const auto& each : connections) each->client.close();
    if (stream) stream->client.close();
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
  impl_->stream = impl_->connect();
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
