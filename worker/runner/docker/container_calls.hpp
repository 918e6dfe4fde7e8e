// Calls are made here of what a life asks of the engine, and the answers as the life reads them.
//
// Thread rule: that of the client. Bounds: a limit for each call. Errors: none; what is lost is an
// answer of status 0.
#pragma once

#include <chrono>
#include <functional>

#include "common/net/http/client.hpp"
#include "worker/runner/docker/container_life.hpp"
#include "worker/runner/docker/container_order.hpp"
#include "worker/runner/docker/engine_client.hpp"

namespace fixkeep::worker::docker {

inline constexpr std::size_t log_lines = 200;  // that are read, at most

struct ContainerCall {
  net::HttpCall call;
  std::chrono::milliseconds limit{};
};
[[nodiscard]] ContainerCall call_for(EngineAsk ask, const ContainerOrder& order,
                                     const Launch& launch);
[[nodiscard]] EngineAnswer answer_to(EngineAsk ask, const EngineClient::Answer& answer,
                                     bool terminal);

// Asks as call_for() says; a game that is asked to end by a command has it run in its container.
void ask_of(EngineClient& engine, EngineAsk ask, const ContainerOrder& order, const Launch& launch,
            std::function<void(const EngineAnswer& answer)> done);

// Removes containers and waits for it: how many are left.
[[nodiscard]] std::size_t remove_and_wait(const std::string& socket,
                                          const std::vector<std::string>& names,
                                          std::chrono::milliseconds limit);

}  // namespace fixkeep::worker::docker
