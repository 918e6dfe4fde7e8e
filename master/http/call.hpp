// One request to a master's API, with everything that its handler may need.
//
// A handler answers the call immediately or later, or it requests a read-only page. The second
// thread makes this page from the view of the directory.
//
// Thread rule: the master's thread. The function for look() runs on the second thread, so it
// contains copies of all its data. A call is valid only while the handler runs. Errors:
// application/problem+json.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/events/journal.hpp"
#include "common/net/http/routes.hpp"
#include "common/net/http/server.hpp"
#include "common/net/link/troubles.hpp"
#include "master/core/master_core.hpp"
#include "master/http/feed/feed.hpp"
#include "master/http/match/desk.hpp"
#include "master/http/matches/desk.hpp"
#include "master/http/operate/worker_calls.hpp"
#include "master/http/readiness.hpp"
#include "master/http/tickets/desk.hpp"
#include "master/http/view/desk.hpp"
#include "master/http/view/metrics_page.hpp"
#include "master/http/view/pages.hpp"

namespace fixkeep::master {

struct ApiContext {
  MasterId self;
  std::string lock_strategy;
  std::string cluster;
  std::function<std::string()> configuration;  // as in node::NodeFacts
  std::function<std::string()> next_modes;     // as in node::NodeFacts
  std::function<std::vector<MasterRow>()> masters;
  std::function<MetricsFacts()> metrics_facts;
  std::function<ReadinessFacts()> readiness_facts;
  std::function<std::vector<net::LinkTroubles::Refused>()> refused_nodes;
  std::function<TimePoint()> now;
  const events::Journal& journal;
  Feed& feed;
  std::vector<std::string> allowed_origins{};  // origins of web pages that may request seats
};

struct ApiCall {
  const ApiContext& context;
  const MasterCore& core;
  MatchDesk& desk;
  ViewDesk& views;
  WorkerCalls& workers;
  MatchesDesk& matches;
  TicketsDesk& tickets;
  const net::HttpRequest& request;
  const net::HttpResponder& responder;
  std::string_view query;
  net::PathParameters parameters;

  void answer(net::HttpAnswer answer) const;
  // Requests a read-only page. Pages of one kind are made one after another.
  void look(const std::string& kind, ViewDesk::Look page) const;
};

using ApiHandler = void (*)(const ApiCall& call);

// Returns 200 with the page, or 503 view-busy if the view's lock was not free within the time
// limit. The failure is also logged for the operator, because the lock is normally held only for
// microseconds.
[[nodiscard]] net::HttpAnswer page_of(const sync::LockResult<std::string>& body);

[[nodiscard]] net::HttpAnswer not_found(std::string_view detail);
[[nodiscard]] net::HttpAnswer wrong_method(std::string_view allowed);

}  // namespace fixkeep::master
