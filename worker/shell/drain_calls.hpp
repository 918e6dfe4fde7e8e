// Operators' HTTP calls that stop rooms from taking players and close them.
//
//   POST /v1/rooms/{room}/drain     one room
//   POST /v1/modes/{mode}/drain     all rooms of a mode; no new rooms until it is resumed
//   POST /v1/drain                  all rooms of the worker; no new rooms until it is resumed
//   POST /v1/modes/{mode}/resume    takes orders of the mode again
//   POST /v1/resume                 takes orders again; drained modes stay drained
//
// A drain may have a body {"most_ms": N}: rooms that are not empty after this time are closed too.
// Without `most_ms`, rooms close only when they are empty. A resume does not stop the drain of a
// room: rooms that already drain are going to close. Answers: 202 with the drains that have begun.
// Thread rule: free function of the shell's thread. Bounds: `most_drain`. Errors: 400
// invalid-request, 404 not-found, as problems.
#pragma once

#include <chrono>
#include <functional>
#include <string_view>

#include "common/net/http/routes.hpp"
#include "common/net/http/server.hpp"
#include "worker/core/room_host.hpp"

namespace fixkeep::worker {

inline constexpr std::chrono::milliseconds most_drain = std::chrono::hours{24};

struct DrainCall {
  const RoomHost& core;
  const std::function<void(Event&&)>& post;  // posts to the core
  std::string_view body;
  const net::PathParameters& parameters;
};

[[nodiscard]] net::HttpAnswer drain_room(const DrainCall& call);
[[nodiscard]] net::HttpAnswer drain_mode(const DrainCall& call);
[[nodiscard]] net::HttpAnswer drain_all(const DrainCall& call);
[[nodiscard]] net::HttpAnswer resume_mode(const DrainCall& call);
[[nodiscard]] net::HttpAnswer resume_all(const DrainCall& call);

}  // namespace fixkeep::worker
