// The rooms of a local cluster as containers: the engine of this machine, the image of the demo
// game and the removal of rooms that a worker left behind.
//
// The image has only the program and its libraries. It needs no base image and no registry. Its
// name carries a hash of its contents: each build of the game makes it once. It stays in the engine
// until the next one. Thread rule: one owner in a single-threaded process; every call blocks.
// Bounds: `answer_limit` for a question, `import_limit` for an image, `most_removals` rounds of
// removals. Fault model: the engine is missing, hangs or loses an answer. Errors: in words with the
// remedy.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace fixkeep::client_sim {

// The socket of the engine: what DOCKER_HOST says or the usual one.
struct EngineSocket {
  std::string path;
  std::string problem;  // why there is no engine
};
[[nodiscard]] EngineSocket engine_socket(const char* docker_host);

// The paths in the output of ldd (each once). Empty for a statically linked program.
[[nodiscard]] std::vector<std::string> libraries_in(std::string_view printed);

class ContainerEngine {
 public:
  static constexpr std::chrono::seconds answer_limit{30};
  static constexpr std::chrono::minutes import_limit{2};
  static constexpr int most_removals = 5;

  explicit ContainerEngine(std::string socket) : socket_(std::move(socket)) {}

  struct Image {
    std::string name;
    std::string failure;  // empty: the engine has it
  };
  // The program lies in it where it lies here. `scratch` is a folder for files on the way.
  [[nodiscard]] Image image_of(const std::filesystem::path& program,
                               const std::filesystem::path& scratch) const;

  struct Removed {
    std::size_t containers = 0;
    std::string failure;  // some may be left
  };
  // Removes the rooms of the cluster that are still there after the grace.
  [[nodiscard]] Removed remove_rooms_of(const std::string& cluster,
                                        std::chrono::milliseconds grace) const;

 private:
  std::string socket_;
};

}  // namespace fixkeep::client_sim
