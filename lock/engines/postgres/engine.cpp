#include "lock/engines/postgres/engine.hpp"

#include <boost/asio/post.hpp>
#include <utility>

#include "common/obs/log.hpp"
#include "lock/engines/postgres/session.hpp"
#include "lock/engines/postgres/statements.hpp"
#include "lock/engines/retry_shell.hpp"
#include "lock/engines/shell_engine.hpp"

namespace fixkeep::engine {

namespace asio = boost::asio;

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::hours sweep_pause{1};

struct PostgresKey {
  explicit PostgresKey(MasterId self) : lock(self) {}

  lock::QueueLock lock;
  std::string name;     // empty: no request yet
  bool locked = false;  // our session has the advisory lock
  bool told = false;    // a release was reported while our request was on its way
};

struct PostgresShell : RetryShell<PostgresKey> {
  PostgresShell(asio::io_context& given_context, const EngineOptions& given_options,
                EngineHandlers given_handlers)
      : RetryShell(given_context, given_options, std::move(given_handlers)),
        prefix(lock::path_component(options.cluster) + '/'),
        session(context, options, statistics,
                {.on_opened = [this] { opened(); },
                 .on_lost = [this] { lost(); },
                 .on_reachable =
                     [this](bool now) {
                       const auto self = kept();
                       reachable(now);
                     },
                 .on_notice = [this](const std::string& name) { released(name); },
                 .on_beat = [this] { beat(); }}) {}

  const std::string prefix;               // start of each name
  Clock::time_point swept{-sweep_pause};  // sweeps at once, even if the machine has just started
  PostgresSession session;

  // --- requests

  void send(const GroupKey& group, PostgresKey& state, lock::QueueRequest request) override {
    switch (request) {
      case lock::QueueRequest::enter:
      case lock::QueueRequest::look:
        asks(group, state, prefix + lock::path_component(group.text()));
        ask(group, request, "take", {state.name});
        return;
      case lock::QueueRequest::leave:
        if (state.locked) return ask(group, request, "leave", {state.name});
        asio::post(context, [this, self = kept(), group] {
          const auto found = keys.find(group);
          if (!closed() && found != keys.end()) ended(group, found->second);
        });
        return;
      case lock::QueueRequest::release:
        ask(group, request, "release",
            {state.name, lock::encode_record(state.lock.record()),
             std::to_string(state.lock.ticket())});
        return;
    }
  }

  void ask(const GroupKey& group, lock::QueueRequest request, const char* statement,
           std::vector<std::string> parameters) {
    session.send(statement, std::move(parameters), [this, group, request](const PGresult& result) {
      const auto self = kept();
      const auto found = keys.find(group);
      if (!closed() && found != keys.end()) answered(group, found->second, request, result);
    });
  }

  void answered(const GroupKey& group, PostgresKey& state, lock::QueueRequest request,
                const PGresult& result) {
    const bool taking = request == lock::QueueRequest::enter || request == lock::QueueRequest::look;
    const bool fine = PQresultStatus(&result) == PGRES_TUPLES_OK;
    const auto taken = taking ? read_taken(result) : std::nullopt;
    if (!fine || (taking && !taken)) {
      // A transaction that failed keeps the advisory lock that it took, so "leave" frees this lock.
      if (taking) session.send("leave", {state.name}, nullptr);
      const char* why = PQresultErrorField(&result, PG_DIAG_MESSAGE_PRIMARY);
      complain(why == nullptr ? "an unexpected answer" : why);
      if (!closed()) send_later(group, request);
      return;
    }
    served();
    if (closed()) return;
    if (!taking) return ended(group, state);
    state.locked = taken->oldest;
    stands(group, state, *taken);
  }

  void ended(const GroupKey& group, PostgresKey& state) {
    state.locked = false;
    act(group, state, state.lock.ended());
  }

  void complain(std::string_view why) {
    if (!refused(why)) return;
    obs::log_error("PostgreSQL refuses a lock",
                   {{"reason", why}, {"advice", postgres_advice(why)}});
  }

  // --- events of the session

  void opened() {
    const auto self = kept();
    served();
    session_opened();
  }

  void lost() {
    const auto self = kept();
    for (auto& [group, key] : keys) key.locked = false;
    session_lost();
  }

  void beat() {
    const auto self = kept();
    const auto now = Clock::now();
    if (now - swept >= sweep_pause) {
      swept = now;
      session.send("sweep", {}, nullptr);
    }
    poll(now);
  }

  // --- functions of QueueShell

  void refresh_statistics() override { session.refresh_statistics(); }

  [[nodiscard]] bool session_open() const override { return session.open(); }

  void say_goodbye() override {
    asio::post(context, [self = kept()] { self->close(); });
  }

  void end() override { session.close(); }
};

}  // namespace

Result<std::unique_ptr<Engine>> make_postgres_engine(asio::io_context& context,
                                                     const EngineOptions& options,
                                                     EngineHandlers handlers) {
  return make_shell<PostgresShell>(context, options, std::move(handlers));
}

}  // namespace fixkeep::engine
