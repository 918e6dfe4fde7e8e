// Makes the engine calls for a container's life and reads the answers.
//
// Thread rule: that of the client. Bounds: a time limit for each call. Errors: none: a lost answer
// is reported like any other answer.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "worker/runner/containers/container_order.hpp"
#include "worker/runner/containers/engine_client.hpp"
#include "worker/runner/containers/engine_texts.hpp"
#include "worker/runner/engine/object_life.hpp"

namespace fixkeep::worker::containers {

inline constexpr std::size_t log_lines = 200;  // limit of the lines that are read

[[nodiscard]] std::string owner_text(const Labels& labels);
// Converts the answer to the call `look`.
[[nodiscard]] engine::Sight sight_of(const Container& container);
// Converts an entry of a list. A list has one word for several states.
[[nodiscard]] engine::Sight sight_in_list(const Container& container);
[[nodiscard]] engine::Sight sight_of(const EngineEvent& event);

// ask_of() sends a call to the engine. It copies a container's files before it starts the
// container. It runs a stop command in the game's container. It calls `done` and then `heard`,
// which gets the engine's answer to a creation, or the container that `look` has found.
struct Heard {
  unsigned created = 0;  // HTTP status
  std::string warnings;
  std::optional<Container> container;
};
void ask_of(EngineClient& client, const engine::Call& call, engine::Sight::State state,
            const ContainerOrder& order, const Launch& launch,
            std::function<void(const engine::Answer& answer)> done,
            std::function<void(const Heard& heard)> heard);

// Removes containers and waits for the removal. Returns how many containers are left.
[[nodiscard]] std::size_t remove_and_wait(const EnginePlace& place,
                                          const std::vector<std::string>& names,
                                          std::chrono::milliseconds limit);

}  // namespace fixkeep::worker::containers
