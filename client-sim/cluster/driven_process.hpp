// A program of ours that is driven by lines of JSON like fixkeep-lock-node and fixkeep-relay.
// Commands go in. Answers and events come out.
//
// Thread rule: one owner in a single-threaded process (child_process.hpp). Every wait blocks and
// has a limit. Errors: a DrivenReply without a line says why in words for people.
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
  nlohmann::json line;  // null: no line came
  std::string failure;

  explicit operator bool() const { return failure.empty(); }
};

class DrivenProcess {
 public:
  // `program` lies beside our own; `name` is what it is called in errors. Errors: of the system.
  [[nodiscard]] static std::variant<std::unique_ptr<DrivenProcess>, std::string> start(
      std::string name, const std::string& program, const std::vector<std::string>& arguments,
      const std::filesystem::path& log);
  ~DrivenProcess();
  DrivenProcess(const DrivenProcess&) = delete;
  DrivenProcess& operator=(const DrivenProcess&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] process::ChildProcess& process() { return process_; }

  // False: it has ended.
  bool say(const nlohmann::json& command);
  // The next line of any kind.
  [[nodiscard]] DrivenReply next(std::chrono::milliseconds limit);
  // The next answer to a command of this name or event of this name. Lines before it are dropped.
  // An {"error":…} or the loss of a lock is a failure.
  [[nodiscard]] DrivenReply answer(const std::string& to, std::chrono::milliseconds limit);
  [[nodiscard]] DrivenReply event(const std::string& what, std::chrono::milliseconds limit);
  // Says it and waits for its answer.
  [[nodiscard]] DrivenReply ask(const nlohmann::json& command, std::chrono::milliseconds limit);
  // Asks it to end and then kills it. False: it had to be killed.
  bool quit(std::chrono::milliseconds limit);

 private:
  DrivenProcess(std::string name, int to, int from)
      : name_(std::move(name)), to_(to), from_(from) {}
  [[nodiscard]] DrivenReply wait_for(const char* field, const std::string& value,
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
