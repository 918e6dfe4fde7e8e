// Requests to a Docker engine and the readers of its answers: the HTTP API of Docker Engine
// (docs.docker.com/reference/api/engine). Podman has this API too.
//
// Thread rule: free functions. Bounds: JSON with more than 32 levels or two million values is
// invalid. The readers have further bounds. Fault model: the engine sends any bytes and may leave
// out every field. Errors: a text that is not an engine's answer gives no value. A missing field is
// empty, 0 or false.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "worker/runner/containers/container.hpp"

namespace fixkeep::worker::containers {

// --- versions -----------------------------------------------------------------------------------

struct ApiVersion {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;

  friend auto operator<=>(const ApiVersion&, const ApiVersion&) = default;
};

// All versions in this range support the calls below, as they are used here.
inline constexpr ApiVersion oldest_version{1, 40};
inline constexpr ApiVersion newest_version{1, 51};

[[nodiscard]] std::string to_string(const ApiVersion& version);  // "1.41"
// Reads the answer to GET /version and chooses the newest version that both sides support. A
// returned text is the error.
[[nodiscard]] std::variant<ApiVersion, std::string> version_to_speak(std::string_view answer);

// --- targets, without the prefix "/v1.41" -------------------------------------------------------

[[nodiscard]] std::string create_target(std::string_view name);
// Returns "/containers/NAME/WORD".
[[nodiscard]] std::string container_target(std::string_view name, std::string_view word);
[[nodiscard]] std::string remove_target(std::string_view name);
[[nodiscard]] std::string kill_target(std::string_view name, std::string_view signal);
[[nodiscard]] std::string logs_target(std::string_view name, std::size_t lines, bool follow);
[[nodiscard]] std::string archive_target(std::string_view name, std::string_view folder);
// Lists all containers of a worker, including ended containers.
[[nodiscard]] std::string list_target(std::string_view cluster, std::string_view worker);
// Requests the events of a worker's containers. `since`: the earliest time, in whole seconds of the
// engine's clock.
[[nodiscard]] std::string events_target(std::string_view cluster, std::string_view worker,
                                        std::int64_t since);
// `id` is from the answer to a request with exec_body(): see id_of().
[[nodiscard]] std::string begin_exec_target(std::string_view id);
[[nodiscard]] std::string image_target(std::string_view image);
[[nodiscard]] std::string pull_target(std::string_view image);
[[nodiscard]] std::string network_target(std::string_view network);

// --- bodies -------------------------------------------------------------------------------------

// The container has no capabilities and gains no privileges. It is not removed when it ends. The
// engine does not restart it.
[[nodiscard]] std::string create_body(const ContainerOrder& order);
// Requests that the engine runs a command in a container.
[[nodiscard]] std::string exec_body(const std::vector<std::string>& command);

// --- answers ------------------------------------------------------------------------------------

[[nodiscard]] std::optional<Container> parse_container(std::string_view answer);
[[nodiscard]] std::optional<std::vector<Container>> parse_containers(std::string_view answer);
// Returns the "Id" of a new object. Empty: the answer has no "Id".
[[nodiscard]] std::string id_of(std::string_view answer);
// Returns the engine's objections to an order that it has carried out: for example an unenforced
// limit or an image for other processors. Printable and at most 300 bytes. Empty: no objections.
[[nodiscard]] std::string warnings_of(std::string_view answer);
// Returns the registry that an image's name contains.
[[nodiscard]] std::string registry_of(std::string_view image);
// Returns the "message" of an error; if there is none, the beginning of the answer. Printable and
// at most 300 bytes.
[[nodiscard]] std::string error_message(std::string_view answer);

struct EngineEvent {
  std::string name;              // the container's name
  Labels labels;                 // Podman's filter passes events with only one of these labels
  std::string action;            // Docker's word, for example "die" or "destroy"
  std::optional<int> exit_code;  // only with "die"
  std::int64_t second = 0;       // on the engine's clock
};
// Reads one line of the answer to events_target().
[[nodiscard]] std::optional<EngineEvent> parse_event(std::string_view line);

struct PullNews {
  std::string status;  // the state of the pull, for example "Downloading"
  std::string layer;
  std::uint64_t bytes = 0;  // bytes received so far, out of `all`
  std::uint64_t all = 0;    // 0: not known
  std::string error;        // why the image is not available; empty: no error
};
// Reads one line of the answer to pull_target().
[[nodiscard]] std::optional<PullNews> parse_pull(std::string_view line);

// Returns the first IPv4 subnet of a network, such as "172.17.0.0". Empty: none. The engine does
// not always report the network's gateway.
[[nodiscard]] std::string subnet_of(std::string_view answer);

// Divides a stream into lines.
class Lines {
 public:
  static constexpr std::size_t longest = 64U << 10U;

  // Returns the lines that this piece completes. A line longer than `longest` is left out.
  [[nodiscard]] std::vector<std::string> put(std::string_view piece);

 private:
  std::string begun_;
  bool too_long_ = false;
};

// Extracts a container's output from the engine's stream. The stream has frames: eight bytes and a
// text. If the container has a terminal, the stream is the plain text.
class LogReader {
 public:
  explicit LogReader(bool terminal) : terminal_(terminal) {}
  [[nodiscard]] std::string put(std::string_view piece);

 private:
  bool terminal_;
  std::string head_;
  std::uint32_t left_ = 0;  // unread bytes of the frame
};

}  // namespace fixkeep::worker::containers
