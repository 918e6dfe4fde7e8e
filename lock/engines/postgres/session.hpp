// One session in PostgreSQL: libpq's asynchronous interface on the io_context. The session's end
// frees its advisory locks at the server.
//
// Requests are sent one after another without waiting for answers (libpq's pipeline mode). Each
// request is a transaction. Its answer counts after the commit.
//
// Fault model: the server hangs, restarts, refuses or is missing. If no request comes for the ttl
// and an eighth more, the server ends the session (idle_session_timeout). We end the session
// earlier: `ttl` after we sent the last answered request. A broken connection ends the session
// immediately. After that the session dials the servers in turn, with pauses from 50 ms to 2 s. A
// standby is refused.
// Thread rule: the thread of the io_context, which calls the handlers. A handler may call close().
// Bounds: one connection; an attempt to connect ends after `reply`. A new password exchange
// computes for a few milliseconds on this thread. Errors: on_lost; each change of the reason is
// logged once, with the setting to change.
#pragma once

#include <postgresql/libpq-fe.h>

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lock/engines/engine.hpp"

namespace fixkeep::engine {

class PostgresSession {
 public:
  using Answer = std::function<void(const PGresult& result)>;

  struct Handlers {
    std::function<void()> on_opened;
    std::function<void()> on_lost;
    std::function<void(bool)> on_reachable;
    std::function<void(const std::string& payload)> on_notice;  // a NOTIFY of another session
    std::function<void()> on_beat;  // several times per ttl while the session is open
  };

  PostgresSession(boost::asio::io_context& context, const EngineOptions& options,
                  EngineStatistics& statistics, Handlers handlers);
  ~PostgresSession();
  PostgresSession(const PostgresSession&) = delete;
  PostgresSession& operator=(const PostgresSession&) = delete;

  // Carries out a prepared statement (statements.hpp). Its parameters are bytes. No answer comes if
  // the session ends first.
  void send(const char* statement, std::vector<std::string> parameters, Answer answer);
  void close();

  [[nodiscard]] bool open() const;
  void refresh_statistics();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// Returns the change that an operator should make after this answer of the server.
[[nodiscard]] std::string_view postgres_advice(std::string_view reason);

}  // namespace fixkeep::engine
