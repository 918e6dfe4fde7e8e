// Makes the engine calls of a life and reads the answers for it.
//
// Thread rule: the client's. Bounds: a limit for each call. Errors: a lost answer has the status 0.
#pragma once

#include <chrono>
#include <functional>

#include "common/net/http/client.hpp"
#include "worker/runner/docker/container_life.hpp"
#include "worker/runner/docker/container_order.hpp"
#include "worker/runner/docker/engine_client.hpp"

namespace fixkeep::worker::docker {

inline constexpr std::size_t log_lines = 200;  // most lines that are read

struct ContainerCall {
  net::HttpCall call;
  std::chrono::milliseconds limit{};
};
[[nodiscard]] ContainerCall call_for(EngineAsk ask, const ContainerOrder& order,
                                     const Launch& launch);
[[nodiscard]] EngineAnswer answer_to(EngineAsk ask, const EngineClient::Answer& answer,
                                     bool terminal);

// Asks as call_for() says; a stop command runs in the game's container.
void ask_of(EngineClient& engine, EngineAsk ask, const ContainerOrder& order, const Launch& launch,
            std::function<void(const EngineAnswer& answer)> done);

// Removes containers and waits for that. Returns how many are left.
[[nodiscard]] std::size_t remove_and_wait(const std::string& socket,
                                          const std::vector<std::string>& names,
                                          std::chrono::milliseconds limit);

}  // namespace fixkeep::worker::docker
