// The routes of a master: the page of each path, and the answer to all other paths.
//
// Players ask at one listener, operators at another one. Health is told to both.
//
// Matches, health and refusals are answered on the master's thread. Pages that only look go to the
// view desk. The table is in api.cpp: a new route is one line there and a handler in a file pair of
// its own.
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
  // All of them outlive the Api.
  Api(ApiContext context, const MasterCore& core, MatchDesk& desk, ViewDesk& views,
      WorkerCalls& workers);

  void handle(const net::HttpRequest& request, const net::HttpResponder& responder,
              Audience audience);

 private:
  ApiContext context_;
  const MasterCore& core_;
  MatchDesk& desk_;
  ViewDesk& views_;
  WorkerCalls& workers_;
};

}  // namespace fixkeep::master
