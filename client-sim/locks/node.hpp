// A fixkeep-lock-node as a process of ours: commands go in, answers and events come out.
//
// Thread rule: one owner, in a single-threaded process (child_process.hpp); every wait blocks, with
// a limit. Errors: a LockNodeReply without a line says why, in words for people.
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

// A clock that all processes of this machine share, as the node's `at_us`.
[[nodiscard]] std::int64_t monotonic_us();

struct LockNodeReply {
  nlohmann::json line;  // null: there is none
  std::string failure;

  explicit operator bool() const { return failure.empty(); }
};

class LockNode {
 public:
  // `arguments` without the program, which lies beside our own. Errors: of the system.
  [[nodiscard]] static std::variant<std::unique_ptr<LockNode>, std::string> start(
      std::string name, const std::vector<std::string>& arguments,
      const std::filesystem::path& log);
  ~LockNode();
  LockNode(const LockNode&) = delete;
  LockNode& operator=(const LockNode&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] process::ChildProcess& process() { return process_; }

  // False: it has ended.
  bool say(const nlohmann::json& command);
  // The next line, whatever it is.
  [[nodiscard]] LockNodeReply next(std::chrono::milliseconds limit);
  // The next answer to a command of this name, or event of this name; lines before it are dropped.
  // An {"error":…} or the loss of a lock is a failure.
  [[nodiscard]] LockNodeReply answer(const std::string& to, std::chrono::milliseconds limit);
  [[nodiscard]] LockNodeReply event(const std::string& what, std::chrono::milliseconds limit);
  // Both: say, and wait for its answer.
  [[nodiscard]] LockNodeReply ask(const nlohmann::json& command, std::chrono::milliseconds limit);
  // Asks it to end, then kills it. False: it had to be killed.
  bool quit(std::chrono::milliseconds limit);

 private:
  LockNode(std::string name, int to, int from) : name_(std::move(name)), to_(to), from_(from) {}
  [[nodiscard]] LockNodeReply wait_for(const char* field, const std::string& value,
                                       std::chrono::milliseconds limit);
  [[nodiscard]] std::string fill(std::chrono::milliseconds limit);
  void close_input();

  std::string name_;
  int to_;    // its standard input
  int from_;  // its standard output
  process::ChildProcess process_;
  std::string partial_;
  std::deque<std::string> lines_;
};

}  // namespace fixkeep::client_sim
