// What the worker answers about itself over HTTP: /healthz, /readyz, /metrics, /v1/events.
// Thread rule: free function of the shell's thread. Errors: 404 and 405 as problems.
#pragma once

#include "common/events/journal.hpp"
#include "common/net/http/server.hpp"
#include "common/net/link/hub.hpp"
#include "worker/core/room_host.hpp"

namespace fixkeep::worker {

struct StatusSource {
  const RoomHost& core;
  const net::LinkCounters& links;
  const events::Journal& journal;
  std::size_t masters_up = 0;
  std::size_t processes = 0;
  bool stopping = false;
  std::string_view query;  // of the request; status_page() fills it in
};

// Ready: at least one master can order rooms here, and it is not being stopped.
[[nodiscard]] net::HttpAnswer status_page(const net::HttpRequest& request, StatusSource source);

}  // namespace fixkeep::worker
