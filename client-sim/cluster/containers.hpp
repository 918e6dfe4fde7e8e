// The rooms of a local cluster as containers. ContainerEngine uses the container engine of this
// machine. It makes the image of the demo game, and removes rooms that a worker left behind.
//
// The image has only the program and its libraries. It needs no base image and no registry. The
// image's name contains a hash of its contents, so each build of the game makes one image. The
// engine keeps the image until the next build. Thread rule: one owner in a single-threaded process;
// every call blocks. Bounds: a request takes at most `answer_limit`, and the import of an image at
// most `import_limit`; there are at most `most_removals` rounds of removals. Fault model: the
// engine is missing, hangs or loses an answer.
// Errors: a text that includes the remedy.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fixkeep::client_sim {

struct EnginePlace {
  std::string runner;   // "docker" or "podman", which understands Docker's API
  std::string socket;   // a path
  std::string problem;  // why there is no engine
};
// Returns the place that the engine's variable names (DOCKER_HOST, CONTAINER_HOST), otherwise the
// usual one. `variable` reads a variable; without one it returns a null pointer.
[[nodiscard]] EnginePlace engine_of_this_machine(
    const std::string& runner, const std::function<const char*(const char*)>& variable = ::getenv);

// Returns the paths in the output of ldd, each only one time. Empty for a statically linked
// program.
[[nodiscard]] std::vector<std::string> libraries_in(std::string_view printed);

class ContainerEngine {
 public:
  static constexpr std::chrono::seconds answer_limit{30};
  static constexpr std::chrono::minutes import_limit{2};
  static constexpr int most_removals = 5;

  explicit ContainerEngine(EnginePlace place) : place_(std::move(place)) {}

  struct Image {
    std::string name;
    std::string failure;  // empty: the engine has the image
  };
  // Makes the image if it is missing. In the image, the program has the same path as on this
  // machine. `scratch` is a folder for temporary files.
  [[nodiscard]] Image image_of(const std::filesystem::path& program,
                               const std::filesystem::path& scratch) const;

  struct Removed {
    std::size_t containers = 0;
    std::string failure;  // not empty: some containers may be left
  };
  // Waits up to `grace` for the cluster's rooms to end. Then removes the remaining rooms.
  [[nodiscard]] Removed remove_rooms_of(const std::string& cluster,
                                        std::chrono::milliseconds grace) const;

 private:
  EnginePlace place_;
};

}  // namespace fixkeep::client_sim
