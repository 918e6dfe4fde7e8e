// The process of one node of a lock that is not part of FIX Keep: its lines in and out, and its
// signals.
//
// Signals reach the process and its descendants, so the program may be started through a script.
// Thread rule: one owner in a single-threaded process (child_process.hpp). Bounds: lines of at most
// `most_line` bytes, the rest of a line is dropped; at most `most_unread` bytes wait for a process
// that does not read. Errors: a text in words.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/process/child_process.hpp"
#include "common/process/descriptor.hpp"

namespace fixkeep::own_lock {

inline constexpr std::size_t most_line = 1U << 20U;
inline constexpr std::size_t most_unread = 8U << 20U;

class NodeProcess {
 public:
  // Starts the program. Its standard error is appended to `log`.
  [[nodiscard]] static std::variant<std::unique_ptr<NodeProcess>, std::string> start(
      const std::vector<std::string>& command, const std::filesystem::path& log);
  ~NodeProcess() { kill(); }
  NodeProcess(const NodeProcess&) = delete;
  NodeProcess& operator=(const NodeProcess&) = delete;

  [[nodiscard]] int output() const { return output_.get(); }
  [[nodiscard]] int input() const { return input_.get(); }
  [[nodiscard]] bool wants_to_write() const { return !unsent_.empty(); }

  // Returns false if the process does not read and too many bytes wait for it.
  [[nodiscard]] bool say(std::string_view line);
  void write();
  // Reads the output that has arrived, and calls on_line for each complete line. Returns false at
  // the end of the output.
  [[nodiscard]] bool read(const std::function<void(std::string_view)>& on_line);

  void signal_all(int number);
  // Kills the process and waits for its end.
  void kill();
  [[nodiscard]] std::string how_it_ended();

 private:
  NodeProcess(process::Descriptor input, process::Descriptor output)
      : input_(std::move(input)), output_(std::move(output)) {}

  process::Descriptor input_;   // standard input of the process
  process::Descriptor output_;  // standard output of the process
  process::ChildProcess process_;
  std::string unsent_;
  std::string partial_;  // the beginning of a line
};

}  // namespace fixkeep::own_lock
