// Sends fixkeepctl's requests to a cluster. Defines the common options of its commands.
//
// Thread rule: one thread; calls block. Errors: one sentence that names the necessary change; a
// node's refusal is quoted.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <iosfwd>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "ctl/node/client.hpp"

namespace fixkeep::ctl {

inline constexpr int exit_failed = 1;

struct Access {
  std::vector<std::string> admin;  // listeners of one or more nodes
  std::string token_file;
  bool sends_token = true;  // false: not to this listener, which is not for operators
  std::string authority = "/etc/ssl/certs/ca-certificates.crt";  // trusted authority for https
  std::string certificate;  // the operator's certificate, if listeners require one
  std::string key;
  int timeout_ms = 5'000;
  bool json = false;
};

using Run = std::function<int(std::ostream& out, std::ostream& err)>;

// Adds the options for access to nodes. `what`: the text in the help that says which addresses to
// give.
void add_access(CLI::App& command, Access& access, const std::string& what);

// Adds a subcommand with these options. If the user chooses the subcommand, `run` executes
// `command`.
template <class Options, class Command>
CLI::App* add_command(CLI::App& app, Run& run, const std::shared_ptr<Options>& options,
                      const char* name, const char* purpose, Command command,
                      const std::string& what = "on masters; the first that answers is asked") {
  CLI::App* const made = app.add_subcommand(name, purpose);
  // The options of commands that share `options` must not share their values here: CLI11 also reads
  // the environment for commands that the user did not choose.
  const auto access = std::make_shared<Access>();
  add_access(*made, *access, what);
  made->callback([&run, options, access, command] {
    run = [options, access, command](std::ostream& out, std::ostream& err) {
      options->access = *access;
      return command(*options, out, err);
    };
  });
  return made;
}

// Throws CLI::ValidationError if a URL is malformed: wrong usage. Returns other errors as a text.
[[nodiscard]] std::variant<std::vector<NodeClient>, std::string> nodes_of(const Access& access);

// A node's answer (status 2xx), or the reason why there is none.
struct Said {
  std::string body;
  std::string problem;  // empty: success
  unsigned status = 0;  // HTTP status of a problem; 0: none
};
[[nodiscard]] Said said(const NodeClient& node, NodeClient::Answered answered);

// Asks the nodes in order until one answers.
[[nodiscard]] Said get_from_any(const Access& access, const std::string& target);
[[nodiscard]] Said post_to_any(const Access& access, const std::string& target,
                               const std::string& body);

// The parsed body of get_from_any(); if this fails, returns null and sets `problem`.
[[nodiscard]] nlohmann::json json_from_any(const Access& access, const std::string& target,
                                           std::string& problem);
[[nodiscard]] nlohmann::json parsed(const Said& said, std::string& problem);

int fail(std::ostream& err, const std::string& problem);

}  // namespace fixkeep::ctl
