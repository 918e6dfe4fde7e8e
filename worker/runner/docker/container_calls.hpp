// Makes the engine calls of a container's life and reads the answers for it.
//
// Thread rule: the client's. Bounds: a limit for each call. Errors: none; a lost answer is one.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "worker/runner/docker/container_order.hpp"
#include "worker/runner/docker/engine_client.hpp"
#include "worker/runner/docker/engine_texts.hpp"
#include "worker/runner/engine/object_life.hpp"

namespace fixkeep::worker::docker {

inline constexpr std::size_t log_lines = 200;  // most lines that are read

[[nodiscard]] std::string owner_text(const Labels& labels);
// A container as a look shows it.
[[nodiscard]] engine::Sight sight_of(const Container& container);
// The same from a list, which has one word for several states.
[[nodiscard]] engine::Sight sight_in_list(const Container& container);
[[nodiscard]] engine::Sight sight_of(const EngineEvent& event);

// Asks for what the call says. A container that has yet to be started gets its files and is
// started; a stop command runs in the game's container. `heard` is told the engine's answer to a
// creation, or the container that a look has shown, after `done`.
struct Heard {
  unsigned created = 0;  // HTTP status
  std::string warnings;
  std::optional<Container> container;
};
void ask_of(EngineClient& client, const engine::Call& call, engine::Sight::State state,
            const ContainerOrder& order, const Launch& launch,
            std::function<void(const engine::Answer& answer)> done,
            std::function<void(const Heard& heard)> heard);

// Removes containers and waits for that. Returns how many are left.
[[nodiscard]] std::size_t remove_and_wait(const std::string& socket,
                                          const std::vector<std::string>& names,
                                          std::chrono::milliseconds limit);

}  // namespace fixkeep::worker::docker
