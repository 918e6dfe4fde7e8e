// Texts of Podman's own API (libpod): the container of a game, and what answers and events say.
//
// Podman answers nearly every refusal with status 500 and a cause in words. A container that could
// not be started stays "created". Starting a container that has ended runs the game again.
// Thread rule: free functions and values. Bounds: linear in the text; foreign JSON within
// json_bounds.hpp. Errors: a foreign text that cannot be read is no value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "worker/runner/engine/engine.hpp"

namespace fixkeep::worker::podman {

inline constexpr std::string_view room_folder = "/fixkeep/room";

// Whose containers these are.
struct Owner {
  std::string cluster;
  std::string worker;
  std::string address;  // the machine's address for players

  [[nodiscard]] std::string text() const { return cluster + "/" + worker; }
};

[[nodiscard]] std::string new_container(const Launch& launch, const Owner& owner);
// "/v4.0.0/libpod/containers/NAME" and the rest
[[nodiscard]] std::string container_target(std::string_view name, std::string_view rest = {});
[[nodiscard]] std::string create_target();
[[nodiscard]] std::string list_target(const Owner& owner);
[[nodiscard]] std::string events_target(const Owner& owner);
[[nodiscard]] std::string pull_target(std::string_view image);

[[nodiscard]] std::optional<engine::Sight> sight_in(std::string_view inspected);
[[nodiscard]] std::optional<std::vector<engine::Shown>> list_in(std::string_view listed);

struct Event {
  enum class Kind { appeared, ended };
  Kind kind = Kind::appeared;
  engine::Shown object;
};
[[nodiscard]] std::optional<Event> event_in(std::string_view line);

// Podman's objection: {"cause":…,"message":…,"response":500}. Another text is returned as it is.
[[nodiscard]] std::string objection_in(std::string_view body);
// The error in the lines of a pull, which always has status 200. Empty: the image is there.
[[nodiscard]] std::string pull_error_in(std::string_view lines);
// The answer to the calls that make a container and start it.
[[nodiscard]] engine::Answer make_answer(unsigned status, std::string_view body);

// Takes the headers out of a container's output. Each piece of output has one of 8 bytes.
class OutputReader {
 public:
  [[nodiscard]] std::string take(std::string_view bytes);

 private:
  std::string head_;
  std::size_t rest_ = 0;  // bytes until the next header
};

}  // namespace fixkeep::worker::podman
