#include "lock/engines/postgres/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <optional>
#include <utility>

#include "common/net/dial/names_at_once.hpp"
#include "common/obs/log.hpp"
#include "lock/engines/library_socket.hpp"
#include "lock/engines/postgres/statements.hpp"

namespace fixkeep::engine {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

using Clock = std::chrono::steady_clock;
using PgResult = std::unique_ptr<PGresult, void (*)(PGresult*)>;
constexpr std::chrono::milliseconds shortest_dial_pause{50};
constexpr std::chrono::milliseconds longest_dial_pause{2000};

bool refusal(const PGresult* result) {
  const auto status = PQresultStatus(result);
  return status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK && status != PGRES_EMPTY_QUERY;
}

std::string one_line(std::string_view text) {
  std::string line{text.substr(0, text.find_last_not_of("\n ") + 1)};
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return line;
}

}  // namespace

std::string_view postgres_advice(std::string_view reason) {
  const auto says = [reason](std::string_view words) {
    return reason.find(words) != std::string_view::npos;
  };
  if (says("idle_session_timeout")) return "use PostgreSQL 14 or later";
  if (says("permission denied"))
    return "grant the role of lock.username the rights in docs/configure.md";
  if (says("database \"")) return "create a database with the name of lock.username";
  if (says("password") || says("role \"")) return "set lock.username and lock.password";
  if (says("SSL") || says("certificate") || says("no encryption")) return "set lock.tls";
  if (says("read-write") || says("read-only")) return "name the primary in lock.servers";
  if (says("too many")) return "raise max_connections: each master needs one connection";
  return "check lock.servers";
}

struct PostgresSession::Impl : std::enable_shared_from_this<Impl> {
  Impl(asio::io_context& given_context, const EngineOptions& given_options,
       EngineStatistics& given_statistics, Handlers given_handlers)
      : context(given_context),
        options(given_options),
        statistics(&given_statistics),
        handlers(std::move(given_handlers)),
        socket(context, [this](LibrarySocket::Ready direction) { ready(direction); }),
        timer(context),
        beat(std::clamp<Duration>(std::min(options.ttl / 16, options.reply / 3),
                                  std::chrono::milliseconds{5}, std::chrono::milliseconds{250})) {}

  struct Asked {
    Clock::time_point at;
    Answer answer;
  };

  asio::io_context& context;
  const EngineOptions options;
  EngineStatistics* statistics;  // the engine's, which closes us before it ends
  Handlers handlers;
  LibrarySocket socket;
  asio::steady_timer timer;
  Duration beat;
  std::optional<net::NamesAtOnce> looked_up;
  PGconn* connection = nullptr;
  PostgresPollingStatusType wanted = PGRES_POLLING_FAILED;  // while connecting
  std::deque<Asked> asked;
  PgResult answered{nullptr, PQclear};  // the answer to the first of `asked`, not yet committed
  std::string notice;                   // the server's last words
  std::string said;                     // the logged reason
  std::size_t server = 0;
  Duration pause{shortest_dial_pause};
  Clock::time_point began;
  Clock::time_point last_sent;
  Clock::time_point alive_until;
  bool connected = false;
  bool opened = false;
  bool was_open = false;
  bool reachable = false;
  bool closed = false;

  // --- connecting

  void dial() {
    began = Clock::now();
    const auto limit = std::chrono::ceil<std::chrono::milliseconds>(options.reply);
    looked_up.emplace(context.get_executor(), std::vector{options.servers[server].host}, limit,
                      [self = shared_from_this()](const auto& answers) {
                        if (!self->closed) self->connect(answers.front());
                      });
  }

  void connect(const net::LookupAnswer& found) {
    const auto& [host, port] = options.servers[server];
    if (found.addresses.empty()) return fail(Failure::unreachable, found.error.message());
    std::string addresses;
    std::string hosts;
    for (const auto& each : found.addresses) {
      addresses += (addresses.empty() ? "" : ",") + each.to_string();
      hosts += (hosts.empty() ? "" : ",") + host;
    }
    const auto user = options.username.empty() ? std::string{"fixkeep"} : options.username;
    const auto ttl_ms = std::chrono::ceil<std::chrono::milliseconds>(options.ttl).count();
    const auto at_server = fmt::format(
        "-c idle_session_timeout={} -c statement_timeout={} -c tcp_user_timeout={} "
        "-c synchronous_commit=on -c default_transaction_isolation=read\\ committed "
        "-c client_min_messages=error",
        ttl_ms + ttl_ms / 8, ttl_ms, ttl_ms);
    const bool tls = !options.tls_files.authority.empty();
    const auto words = std::to_array<std::pair<const char*, std::string>>(
        {{"host", hosts},
         {"hostaddr", addresses},
         {"port", std::to_string(port)},
         {"dbname", user},
         {"user", user},
         {"password", options.password},
         {"passfile", "/dev/null/none"},  // not ~/.pgpass
         {"application_name", "fixkeep-" + std::to_string(options.self.number())},
         {"client_encoding", "UTF8"},
         {"target_session_attrs", "read-write"},
         {"gssencmode", "disable"},
         {"sslmode", tls ? "verify-full" : "disable"},
         {"sslrootcert", options.tls_files.authority},
         {"sslcert", options.tls_files.certificate},
         {"sslkey", options.tls_files.key},
         {"sslcrl", options.tls_files.revoked},
         {"options", at_server}});
    std::array<const char*, words.size() + 1> names{};
    std::array<const char*, words.size() + 1> values{};
    for (std::size_t i = 0; i < words.size(); ++i) {
      names[i] = words[i].first;
      values[i] = words[i].second.c_str();
    }
    connection = PQconnectStartParams(names.data(), values.data(), 0);
    if (connection == nullptr) return fail(Failure::refused, "no memory for a connection");
    PQsetNoticeProcessor(
        connection, [](void* self, const char* text) { static_cast<Impl*>(self)->notice = text; },
        this);
    wanted = PGRES_POLLING_WRITING;
    PQstatus(connection) == CONNECTION_BAD ? fail_here() : watch();
    tick();
  }

  void watch() {
    socket.watch(PQsocket(connection), connected || wanted == PGRES_POLLING_READING,
                 connected ? PQflush(connection) == 1 : wanted == PGRES_POLLING_WRITING,
                 weak_from_this());
  }

  void ready(LibrarySocket::Ready direction) {
    if (closed || connection == nullptr) return;
    if (connected) return work();
    const bool write = direction == LibrarySocket::Ready::write;
    if (write != (wanted == PGRES_POLLING_WRITING)) return;
    wanted = PQconnectPoll(connection);
    if (wanted == PGRES_POLLING_FAILED) return fail_here();
    if (wanted == PGRES_POLLING_OK) set_up();
    if (connection != nullptr) watch();
  }

  // Sends the first requests. The session is open when the last of them is answered.
  void set_up() {
    connected = true;
    PQsetnonblocking(connection, 1);
    PQenterPipelineMode(connection);
    alive_until = Clock::now() + options.ttl;
    const auto check = [this](const PGresult& result) {
      if (refusal(&result)) fail(Failure::refused, PQresultErrorMessage(&result));
    };
    const auto text = [this](const char* sql) {
      return PQsendQueryParams(connection, sql, 0, nullptr, nullptr, nullptr, nullptr, 0);
    };
    sent(text(postgres_setup), check);
    sent(text(fmt::format("LISTEN {}", postgres_channel).c_str()), check);
    for (const auto& each : postgres_statements) {
      const bool last = &each == &postgres_statements.back();
      sent(PQsendPrepare(connection, each.name, each.text, each.parameters, nullptr),
           [this, check, last](const PGresult& result) {
             check(result);
             if (last && connection != nullptr) begin();
           });
    }
  }

  void begin() {
    opened = true;
    pause = shortest_dial_pause;
    said.clear();
    if (std::exchange(was_open, true)) ++statistics->reconnects;
    obs::log_info("PostgreSQL answers");
    set_reachable(true);
    if (!closed) handlers.on_opened();
  }

  // --- requests

  void sent(int accepted, Answer answer) {
    if (accepted != 1 || PQpipelineSync(connection) != 1) {
      // The connection is broken. Only the next tick reports this, because a handler of the caller
      // may be running now.
      alive_until = {};
      return;
    }
    last_sent = Clock::now();
    asked.push_back({last_sent, std::move(answer)});
  }

  void work() {
    if (opened && Clock::now() >= alive_until) return fail_late();
    if (PQconsumeInput(connection) == 0) return fail_here();
    take_answers();
    if (connection == nullptr) return;
    if (PQstatus(connection) == CONNECTION_BAD) return fail_here();
    while (auto* heard = PQnotifies(connection)) {
      const std::unique_ptr<PGnotify, void (*)(void*)> kept{heard, PQfreemem};
      if (heard->be_pid != PQbackendPID(connection)) handlers.on_notice(heard->extra);
      if (connection == nullptr) return;
    }
    watch();
  }

  // An answer counts only after the server has committed: at the sync that follows the answer.
  void take_answers() {
    bool again = true;
    while (connection != nullptr && !asked.empty() && PQisBusy(connection) == 0) {
      PgResult result{PQgetResult(connection), PQclear};
      if (!result && !std::exchange(again, false)) return;
      if (!result) continue;
      again = true;
      if (PQresultStatus(result.get()) != PGRES_PIPELINE_SYNC) {
        if (!answered || refusal(result.get())) answered = std::move(result);
        continue;
      }
      const auto first = std::move(asked.front());
      asked.pop_front();
      alive_until = std::max(alive_until, first.at + options.ttl);
      const PgResult answer = std::exchange(answered, PgResult{nullptr, PQclear});
      if (!first.answer) continue;  // a sign of life
      ++statistics->replies_received;
      if (answer) first.answer(*answer);
    }
  }

  // --- time

  void tick() {
    if (closed || connection == nullptr) return;
    const auto now = Clock::now();
    if (!opened && now > began + options.reply) {
      return fail(Failure::timeout, "it cannot be reached in time");
    }
    if (opened) {
      if (now >= alive_until) return fail_late();
      const bool late = !asked.empty() && now > asked.front().at + options.reply;
      if (late && reachable) {
        statistics->failed(Failure::timeout, to_string(options.servers[server]), "no answer");
      }
      set_reachable(!late);
      if (!closed && opened) handlers.on_beat();
      if (closed || connection == nullptr) return;
      if (now - last_sent >= options.ttl / 4) sent(1, nullptr);
      watch();
    }
    timer.expires_at(opened ? std::min(now + beat, alive_until) : now + beat);
    timer.async_wait([self = shared_from_this()](error_code error) {
      if (!error) self->tick();
    });
  }

  void set_reachable(bool now) {
    if (std::exchange(reachable, now) == now) return;
    handlers.on_reachable(now);
  }

  // --- the end

  void fail_here() {
    auto reason = one_line(PQerrorMessage(connection));
    if (!notice.empty()) reason = one_line(notice);
    const bool refused = reason.find("FATAL") != std::string::npos;
    fail(refused && !opened ? Failure::refused : Failure::unreachable, reason);
  }
  void fail_late() { fail(Failure::timeout, "no answer came within lock.lease_ms"); }

  void fail(Failure kind, std::string_view why) {
    const auto self = shared_from_this();
    const auto reason = one_line(why);
    const auto at = to_string(options.servers[server]);
    statistics->failed(kind, at, reason);
    if (std::exchange(said, reason) != reason) {
      obs::log_warning("no session in PostgreSQL",
                       {{"server", at}, {"reason", reason}, {"advice", postgres_advice(reason)}});
    }
    const bool lost = opened;
    if (lost) ++statistics->connections_lost;
    drop();
    set_reachable(false);
    if (lost && !closed) handlers.on_lost();
    if (closed) return;
    server = (server + 1) % options.servers.size();
    timer.expires_after(pause);
    timer.async_wait([self](error_code error) {
      if (!error && !self->closed) self->dial();
    });
    pause = std::min<Duration>(2 * pause, longest_dial_pause);
  }

  void drop() {
    connected = opened = false;
    asked.clear();
    answered.reset();
    notice.clear();
    looked_up.reset();
    socket.drop();
    if (connection != nullptr) PQfinish(std::exchange(connection, nullptr));
  }
};

PostgresSession::PostgresSession(asio::io_context& context, const EngineOptions& options,
                                 EngineStatistics& statistics, Handlers handlers)
    : impl_(std::make_shared<Impl>(context, options, statistics, std::move(handlers))) {
  impl_->dial();
}
PostgresSession::~PostgresSession() {
  close();
}

void PostgresSession::send(const char* statement, std::vector<std::string> parameters,
                           Answer answer) {
  if (!open()) return;
  std::vector<const char*> values;
  std::vector<int> lengths;
  for (const auto& each : parameters) {
    values.push_back(each.data());
    lengths.push_back(static_cast<int>(each.size()));
  }
  // Only the record, a bytea, is sent in binary form. Texts and numbers are sent as text.
  const std::array<int, 3> binary{0, 1, 0};
  ++impl_->statistics->requests_sent;
  impl_->sent(PQsendQueryPrepared(impl_->connection, statement, static_cast<int>(values.size()),
                                  values.data(), lengths.data(), binary.data(), 0),
              std::move(answer));
  impl_->watch();
}

void PostgresSession::close() {
  if (std::exchange(impl_->closed, true)) return;
  impl_->timer.cancel();
  impl_->drop();
}

bool PostgresSession::open() const {
  return impl_->opened && Clock::now() < impl_->alive_until;
}

void PostgresSession::refresh_statistics() {
  const auto carried = impl_->socket.bytes();
  impl_->statistics->bytes_sent = carried.sent;
  impl_->statistics->bytes_received = carried.received;
}

}  // namespace fixkeep::engine
