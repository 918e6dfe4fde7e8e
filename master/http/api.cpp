#include "master/http/api.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "common/net/http/cross_origin.hpp"
#include "common/node/events_page.hpp"
#include "common/node/node_page.hpp"
#include "common/obs/version.hpp"
#include "master/http/dashboard/files.hpp"
#include "master/http/match/leave.hpp"
#include "master/http/match/modes_page.hpp"
#include "master/http/match/why.hpp"
#include "master/http/operate/routes.hpp"
#include "master/http/view/rooms.hpp"

namespace fixkeep::master {

// Returns text generated from docs/openapi.yaml.
std::string_view specification() noexcept;

namespace {

net::HttpAnswer page(std::string body) {
  return {.status = 200, .body = std::move(body)};
}

void match(const ApiCall& call) {
  call.desk.request(call.request, call.responder, call.context.now());
}

void list_modes(const ApiCall& call) {
  call.look("modes", [modes = call.desk.modes_json()](const DirectoryView& view) {
    return page_of(modes_page(modes, view));
  });
}

void show_version(const ApiCall& call) {
  call.answer(page(fmt::format(R"({{"api":"v1","version":"{}"}})", obs::build_version())));
}

void invite(const ApiCall& call) {
  call.answer(call.desk.intake().invite(call.request, call.responder.client(), call.context.now()));
}

template <void (MatchesDesk::*call_of)(const ApiCall&)>
void about_match(const ApiCall& call) {
  (call.matches.*call_of)(call);
}

template <void (TicketsDesk::*call_of)(const ApiCall&)>
void about_ticket(const ApiCall& call) {
  (call.tickets.*call_of)(call);
}

void show_specification(const ApiCall& call) {
  call.answer(page(std::string{specification()}));
}

void show_health(const ApiCall& call) {
  call.answer(page(R"({"status":"alive"})"));
}

void show_readiness(const ApiCall& call) {
  call.answer(readiness(call.context.readiness_facts()));
}

// Hides addresses of nodes and messages from lock servers: these are for operators only.
void show_readiness_to_players(const ApiCall& call) {
  ReadinessFacts facts = call.context.readiness_facts();
  for (auto& other : facts.others) other.trouble = "this master has no link to it";
  facts.lock_trouble.clear();
  call.answer(readiness(facts));
}

void show_node(const ApiCall& call) {
  const ApiContext& context = call.context;
  auto seen = context.metrics_facts();
  node::NodeFacts facts{.node = to_string(context.self),
                        .role = "master",
                        .cluster = context.cluster,
                        .configuration = context.configuration(),
                        .next_modes = context.next_modes(),
                        .masters = {},
                        .refused = context.refused_nodes(),
                        .links = seen.links,
                        .listeners = std::move(seen.listeners)};
  for (auto& other : context.readiness_facts().others) {
    facts.masters.push_back({std::move(other.name), other.up, std::move(other.trouble)});
  }
  call.answer(node::node_page(facts));
}

void show_metrics(const ApiCall& call) {
  call.look("metrics", [facts = call.context.metrics_facts()](const DirectoryView& view) {
    auto answer = page_of(metrics_page(facts, view));
    if (answer.status == 200) { answer.content_type = "text/plain; version=0.0.4; charset=utf-8"; }
    return answer;
  });
}

void list_workers(const ApiCall& call) {
  call.look("workers",
            [quarantined = quarantine_facts(call.core, call.context.now())](
                const DirectoryView& view) { return page_of(workers_json(view, quarantined)); });
}

void list_masters(const ApiCall& call) {
  const ApiContext& context = call.context;
  call.look("masters", [facts = masters_facts(context.self, context.masters(), call.core)](
                           const DirectoryView&) { return page(masters_json(facts)); });
}

void list_locks(const ApiCall& call) {
  const ApiContext& context = call.context;
  call.look("locks", [facts = locks_facts(context.lock_strategy, call.core, context.now(),
                                          context.metrics_facts().engine)](const DirectoryView&) {
    return page(locks_json(facts));
  });
}

void list_events(const ApiCall& call) {
  const bool live = call.request[net::http::field::accept].find("text/event-stream") !=
                    boost::core::string_view::npos;
  if (live && call.request.method() == net::http::verb::get) {
    const auto last = call.request["Last-Event-ID"];
    return call.context.feed.read(call.responder, {last.data(), last.size()});
  }
  call.answer(node::events_page(call.context.journal, call.query));
}

// Makes the handler of a page that needs no token. The call counts as a request from its address.
template <ApiHandler show>
void counted(const ApiCall& call) {
  auto refused = call.desk.intake().count_read(call.responder.client(), call.context.now());
  if (refused) return call.answer(std::move(*refused));
  show(call);
}

using ApiRoutes = net::Routes<ApiHandler>;

const ApiRoutes& for_both() {
  static const ApiRoutes table{
      {net::read_methods, "/healthz", show_health},
  };
  return table;
}

const ApiRoutes& for_players() {
  static const ApiRoutes table{
      {"POST", "/v1/match", match},
      {net::read_methods, "/v1/match/{request}/why", show_why},
      {"PUT", "/v1/matches/{match}", about_match<&MatchesDesk::put>},
      {net::read_methods, "/v1/matches/{match}", about_match<&MatchesDesk::get>},
      {"POST", "/v1/matches/{match}/players", about_match<&MatchesDesk::join>},
      {"DELETE", "/v1/matches/{match}/players/{player}", about_match<&MatchesDesk::leave>},
      {"DELETE", "/v1/matches/{match}", about_match<&MatchesDesk::end>},
      {"POST", "/v1/tickets", about_ticket<&TicketsDesk::make>},
      {net::read_methods, "/v1/tickets", about_ticket<&TicketsDesk::watch>},
      {"POST", "/v1/tickets:batch", about_ticket<&TicketsDesk::make_all>},
      {net::read_methods, "/v1/tickets/{ticket}", about_ticket<&TicketsDesk::show>},
      {"DELETE", "/v1/tickets/{ticket}", about_ticket<&TicketsDesk::cancel>},
      {"POST", "/v1/invitations", invite},
      {"DELETE", "/v1/seats/{token}", leave_seat},
      {net::read_methods, "/v1/modes", counted<list_modes>},
      {net::read_methods, "/v1/modes/{mode}/statistics", counted<show_mode_statistics>},
      {net::read_methods, "/v1/version", counted<show_version>},
      {net::read_methods, "/openapi.json", counted<show_specification>},
      {net::read_methods, "/readyz", show_readiness_to_players},
  };
  return table;
}

const ApiRoutes& for_operators() {
  static const ApiRoutes table{
      {net::read_methods, "/v1/rooms", list_rooms},
      {net::any_method, "/v1/rooms/{room}", show_room},
      {net::read_methods, "/v1/workers", list_workers},
      {net::read_methods, "/v1/masters", list_masters},
      {net::read_methods, "/v1/locks", list_locks},
      {net::read_methods, "/v1/node", show_node},
      {net::read_methods, "/v1/events", list_events},
      {net::read_methods, "/metrics", show_metrics},
      {net::read_methods, "/readyz", show_readiness},
  };
  return table;
}

struct Site {
  std::vector<const ApiRoutes*> tables;
  std::string_view pages;
};

const Site& site_of(Audience audience) {
  static const Site players{{&for_players(), &for_both()},
                            "POST /v1/match, /v1/tickets, /v1/tickets:batch and "
                            "/v1/invitations, GET /v1/tickets, GET and DELETE "
                            "/v1/tickets/{ticket}, DELETE /v1/seats/{token}, "
                            "PUT, GET and DELETE /v1/matches/{match}, POST "
                            "/v1/matches/{match}/players, DELETE "
                            "/v1/matches/{match}/players/{player}, "
                            "GET /v1/match/{request}/why, /v1/modes, /v1/modes/{mode}/statistics, "
                            "/v1/version, /openapi.json, /healthz and /readyz"};
  static const Site operators{
      {&operate_routes(), &for_operators(), &for_both(), &dashboard_routes()},
      "GET /v1/rooms, /v1/rooms/{id}, /v1/rooms/{id}/log, /v1/workers, "
      "/v1/masters, /v1/locks, /v1/node, /v1/events, /metrics, /healthz and /readyz, "
      "POST /v1/rooms/{id}/drain, /v1/rooms/{id}/close, "
      "/v1/workers/{worker}/drain and /v1/workers/{worker}/resume"};
  return audience == Audience::players ? players : operators;
}

}  // namespace

Api::Api(ApiContext context, const MasterCore& core, MatchDesk& desk, ViewDesk& views,
         WorkerCalls& workers, MatchesDesk& matches, TicketsDesk& tickets)
    : context_(std::move(context)),
      core_(core),
      desk_(desk),
      views_(views),
      workers_(workers),
      matches_(matches),
      tickets_(tickets) {}

void Api::handle(const net::HttpRequest& request, const net::HttpResponder& responder,
                 Audience audience) {
  if (audience == Audience::players) {
    auto refused = net::refuse_page(request, context_.allowed_origins);
    if (refused) return responder.answer(std::move(*refused));
  }
  const auto [path, query] = net::split_target(request.target());
  const Site& site = site_of(audience);
  for (const ApiRoutes* const table : site.tables) {
    const auto found = table->find(request.method_string(), path);
    if (found.handler != nullptr) {
      return (*found.handler)({context_, core_, desk_, views_, workers_, matches_, tickets_,
                               request, responder, query, found.parameters});
    }
    if (!found.allow.empty()) return responder.answer(wrong_method(found.allow));
  }
  responder.answer(not_found(fmt::format("there are {}", site.pages)));
}

}  // namespace fixkeep::master
