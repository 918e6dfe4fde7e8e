// The routes of a master: the handler for each path, and the answer for all other paths.
//
// Players and operators have separate listeners. Both listeners serve the health pages.
//
// Matches, health and refusals are answered on the master's thread. The view desk makes read-only
// pages. The table is in api.cpp: for a new route, add one line there and a handler in its own pair
// of files.
//
// Thread rule: the master's thread. Errors: application/problem+json; docs/api.md lists them.
#pragma once

#include <cstdint>

#include "master/http/call.hpp"

namespace fixkeep::master {

// The users of a listener.
enum class Audience : std::uint8_t { players, operators };

class Api {
 public:
  // The arguments outlive the Api.
  Api(ApiContext context, const MasterCore& core, MatchDesk& desk, ViewDesk& views,
      WorkerCalls& workers, MatchesDesk& matches, TicketsDesk& tickets);

  void handle(const net::HttpRequest& request, const net::HttpResponder& responder,
              Audience audience);

 private:
  ApiContext context_;
  const MasterCore& core_;
  MatchDesk& desk_;
  ViewDesk& views_;
  WorkerCalls& workers_;
  MatchesDesk& matches_;
  TicketsDesk& tickets_;
};

}  // namespace fixkeep::master
