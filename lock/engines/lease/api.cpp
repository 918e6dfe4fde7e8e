#include "lock/engines/lease/api.hpp"

#include <utility>

#include "common/obs/log.hpp"

namespace fixkeep::engine {

namespace api = kubernetes;

namespace {

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

// If no certificate authority is configured and the server is on the loopback, the connection is
// plain, for example to `kubectl proxy`.
std::variant<api::Access, std::string> access_for(const EngineOptions& options) {
  api::Access access;
  const auto& [host, port] = options.servers.front();
  const auto& files = options.tls_files;
  const bool plain = files.authority.empty() && is_loopback(host);
  if (files.authority.empty() && !plain) {
    auto found = api::find_access("");
    if (std::holds_alternative<std::string>(found)) return found;
    access = std::get<api::Access>(found);
  }
  access.host = host;
  access.port = port;
  access.plain = plain;
  if (!files.authority.empty()) access.authority = {.file = files.authority};
  if (!files.certificate.empty()) {
    access.certificate = {.file = files.certificate};
    access.key = {.file = files.key};
  }
  if (!options.password.empty()) access.token = {.text = options.password};
  if (!options.username.empty()) access.space = options.username;
  if (access.space.empty()) access.space = "default";
  return access;
}

}  // namespace

std::variant<std::shared_ptr<LeaseApi>, std::string> LeaseApi::make(
    boost::asio::io_context& context, const EngineOptions& options, EngineStatistics& statistics,
    Handlers handlers) {
  const auto access = access_for(options);
  if (const auto* const why = std::get_if<std::string>(&access)) return *why;
  const auto& found = std::get<api::Access>(access);
  auto made = api::ApiClient::make(context, found);
  if (auto* const why = std::get_if<std::string>(&made)) return std::move(*why);
  return std::make_shared<LeaseApi>(std::move(std::get<0>(made)), found.space, options, statistics,
                                    std::move(handlers));
}

LeaseApi::LeaseApi(std::unique_ptr<api::ApiClient> client, std::string space,
                   const EngineOptions& options, EngineStatistics& statistics, Handlers handlers)
    : client_(std::move(client)),
      leases_{"/apis/coordination.k8s.io/v1", std::move(space), "leases"},
      server_(to_string(options.servers.front())),
      limit_(std::chrono::ceil<std::chrono::milliseconds>(options.reply)),
      statistics_(&statistics),
      handlers_(std::move(handlers)) {}

void LeaseApi::ask(api::ApiCall call, Answer answer) {
  if (!client_) return;
  ++statistics_->requests_sent;
  statistics_->bytes_sent += call.target.size() + call.body.size();
  client_->ask(call, limit_, [this, call, answer = std::move(answer)](const auto& got) {
    const auto self = shared_from_this();
    const auto verdict = api::judge(call, got);
    note(call, got, verdict);
    if (client_) answer(got, verdict.problem);
  });
}

void LeaseApi::note(const api::ApiCall& call, const api::ApiAnswer& got,
                    const api::Verdict& verdict) {
  if (verdict.problem == api::ApiProblem::lost) {
    ++statistics_->connections_lost;
    statistics_->failed(Failure::unreachable, server_, verdict.words);
    if (!std::exchange(away_, true)) {
      was_away_ = true;
      obs::log_warning("the API server does not answer",
                       {{"reason", verdict.words}, {"advice", "check lock.servers and lock.tls"}});
    }
    return handlers_.on_reachable(false);
  }
  heard_ = std::chrono::steady_clock::now();
  ++statistics_->replies_received;
  statistics_->bytes_received += got.body.size();
  if (std::exchange(away_, false) && std::exchange(was_away_, false)) ++statistics_->reconnects;
  handlers_.on_reachable(true);
  if (!client_) return;
  using enum api::ApiProblem;
  const auto problem = verdict.problem;
  // With these answers, the server serves us. But "not found" for a POST means that the namespace
  // is missing.
  if (problem == none || problem == conflict || problem == already_exists ||
      (problem == not_found && call.method != "POST")) {
    handlers_.on_served();
  } else if (handlers_.on_refused(verdict.words)) {
    obs::log_error("the API server refuses a lock",
                   {{"reason", verdict.words},
                    {"advice",
                     "grant get, list, watch, create, update and delete of leases in the "
                     "namespace"}});
  }
}

}  // namespace fixkeep::engine
