// Our calls to the API server, for the Leases of one namespace.
//
// Counts the calls, notes whether the server answers, and whether it refuses.
// Thread rule: the thread of the io_context, which calls the handlers. Lifetime: close() ends all
// calls without an answer; a handler may call it. Bounds: as in common/net/http/pool.hpp; a call
// has no answer after `EngineOptions::reply`. Fault model: the server hangs, restarts, refuses or
// is missing. Errors: ApiProblem; each change of the reason is logged once, with advice.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "common/net/kubernetes/api_client.hpp"
#include "lock/engines/engine.hpp"

namespace fixkeep::engine {

class LeaseApi : public std::enable_shared_from_this<LeaseApi> {
 public:
  using Answer = std::function<void(const kubernetes::ApiAnswer&, kubernetes::ApiProblem)>;
  struct Handlers {
    std::function<void(bool)> on_reachable;
    std::function<void()> on_served;
    std::function<bool(const std::string& why)> on_refused;  // true: the first refusal
  };

  // Returns the API, or a text with the reason: no credentials, or unreadable files.
  [[nodiscard]] static std::variant<std::shared_ptr<LeaseApi>, std::string> make(
      boost::asio::io_context& context, const EngineOptions& options, EngineStatistics& statistics,
      Handlers handlers);
  LeaseApi(std::unique_ptr<kubernetes::ApiClient> client, std::string space,
           const EngineOptions& options, EngineStatistics& statistics, Handlers handlers);

  void ask(kubernetes::ApiCall call, Answer answer);
  void close() { client_.reset(); }

  [[nodiscard]] kubernetes::ApiClient& client() { return *client_; }
  [[nodiscard]] const kubernetes::Resource& leases() const { return leases_; }
  [[nodiscard]] bool away() const { return away_; }
  [[nodiscard]] std::chrono::steady_clock::time_point heard() const { return heard_; }

 private:
  void note(const kubernetes::ApiCall& call, const kubernetes::ApiAnswer& got,
            const kubernetes::Verdict& verdict);

  std::unique_ptr<kubernetes::ApiClient> client_;
  const kubernetes::Resource leases_;
  const std::string server_;
  const std::chrono::milliseconds limit_;
  EngineStatistics* statistics_;  // the engine's, which closes us before it ends
  Handlers handlers_;
  std::chrono::steady_clock::time_point heard_;  // time of the last answer
  bool away_ = true;
  bool was_away_ = false;  // the server answered before and then went away
};

}  // namespace fixkeep::engine
