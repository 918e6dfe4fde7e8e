// The worker's answers over HTTP: /healthz, /readyz, /metrics, /v1/events, /v1/node,
// /v1/rooms/{room}/log (the last output of a game) and the calls of drain_calls.hpp.
// Thread rule: free function of the shell's thread. Bounds: the last `most_log_bytes` of a game.
// Errors: 400, 404 and 405 as problems.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "common/events/journal.hpp"
#include "common/net/http/routes.hpp"
#include "common/net/http/server.hpp"
#include "common/net/link/hub.hpp"
#include "common/node/node_metrics.hpp"
#include "common/node/node_page.hpp"
#include "worker/core/room_host.hpp"
#include "worker/runner/game_runner.hpp"

namespace fixkeep::worker {

inline constexpr std::size_t most_log_bytes = 65536;

struct StatusSource {
  const RoomHost& core;
  net::LinkCounters links;
  const events::Journal& journal;
  std::size_t masters_up = 0;
  std::size_t processes = 0;
  bool stopping = false;
  bool journal_is_whole = true;
  std::vector<node::ListenerFacts> listeners;
  const RoomOutputs* outputs = nullptr;  // null: no output is stored
  std::function<void(Event&&)> post;     // posts to the core
  std::function<node::NodeFacts()> node_facts;
  // status_page() and operator_call() set these parts of the request.
  std::string_view query;
  std::string_view body;
  net::PathParameters parameters;
};

// /readyz answers 200 if at least one master is connected and the worker does not stop or drain.
[[nodiscard]] net::HttpAnswer status_page(const net::HttpRequest& request, StatusSource source);

// Answers a call that came through a master: only calls about rooms and drains are accepted.
[[nodiscard]] net::HttpAnswer operator_call(std::string_view method, std::string_view target,
                                            std::string_view body, StatusSource source);

}  // namespace fixkeep::worker
