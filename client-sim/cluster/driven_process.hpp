// A program of ours that is controlled by lines of JSON, for example fixkeep-lock-node or
// fixkeep-relay. It reads commands from its standard input and writes answers and events to its
// standard output.
//
// Thread rule: one owner in a single-threaded process (child_process.hpp). Every wait blocks and
// has a limit. Errors: a DrivenReply without a line has the reason in words.
#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "common/process/child_process.hpp"

namespace fixkeep::client_sim {

struct DrivenReply {
  nlohmann::json line;  // null: no line was received
  std::string failure;

  explicit operator bool() const { return failure.empty(); }
};

class DrivenProcess {
 public:
  // `program` is in the folder of our own executable. Error texts call the process `name`. Returns
  // an error if the system cannot start the program.
  [[nodiscard]] static std::variant<std::unique_ptr<DrivenProcess>, std::string> start(
      std::string name, const std::string& program, const std::vector<std::string>& arguments,
      const std::filesystem::path& log);
  ~DrivenProcess();
  DrivenProcess(const DrivenProcess&) = delete;
  DrivenProcess& operator=(const DrivenProcess&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] process::ChildProcess& process() { return process_; }

  // Sends a command. Returns false if the process has ended.
  bool say(const nlohmann::json& command);
  // Waits for the next line of any kind.
  [[nodiscard]] DrivenReply next(std::chrono::milliseconds limit);
  // answer() waits for the next answer to the command `to`, event() for the next event `what`. Both
  // drop all earlier lines. For both, a line {"error":…} or a line about a lost lock is a failure.
  [[nodiscard]] DrivenReply answer(const std::string& to, std::chrono::milliseconds limit);
  [[nodiscard]] DrivenReply event(const std::string& what, std::chrono::milliseconds limit);
  // Sends a command and waits for its answer.
  [[nodiscard]] DrivenReply ask(const nlohmann::json& command, std::chrono::milliseconds limit);
  // Asks the process to end, and kills it after `limit`. Returns false if it was killed.
  bool quit(std::chrono::milliseconds limit);

 private:
  DrivenProcess(std::string name, int to, int from)
      : name_(std::move(name)), to_(to), from_(from) {}
  [[nodiscard]] DrivenReply wait_for(const char* field, const std::string& value,
                                     std::chrono::milliseconds limit);
  [[nodiscard]] std::string fill(std::chrono::milliseconds limit);
  void close_input();

  std::string name_;
  int to_;    // standard input of the process
  int from_;  // standard output of the process
  process::ChildProcess process_;
  std::string partial_;
  std::deque<std::string> lines_;
};

}  // namespace fixkeep::client_sim
