// fixkeepctl reaches a cluster by these: the options that all such commands have, and what they
// ask.
//
// Thread rule: one thread, which waits. Errors: one sentence that says what to change; what a node
// refuses is told as the node says it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <iosfwd>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ctl/node/client.hpp"

namespace fixkeep::ctl {

inline constexpr int exit_failed = 1;

struct Access {
  std::vector<std::string> admin;  // of one or more nodes
  std::string token_file;
  std::string authority = "/etc/ssl/certs/ca-certificates.crt";  // whom to believe with https
  std::string certificate;  // of the operator, where a listener wants one
  std::string key;
  int timeout_ms = 5'000;
  bool json = false;
};

using Run = std::function<int(std::ostream& out, std::ostream& err)>;

// The options, of which `what` says whose listeners are meant.
void add_access(CLI::App& command, Access& access, const std::string& what);

// A subcommand with these options; once it is chosen `run` does `command`.
template <class Options, class Command>
CLI::App* add_command(CLI::App& app, Run& run, const std::shared_ptr<Options>& options,
                      const char* name, const char* purpose, Command command,
                      const std::string& what = "of masters; the first that answers is asked") {
  CLI::App* const made = app.add_subcommand(name, purpose);
  add_access(*made, options->access, what);
  made->callback([&run, options, command] {
    run = [options, command](std::ostream& out, std::ostream& err) {
      return command(*options, out, err);
    };
  });
  return made;
}

[[nodiscard]] std::variant<std::vector<NodeClient>, std::string> nodes_of(const Access& access);

// A node has answered this with a status of 2xx, or this is why there is no such answer.
struct Said {
  std::string body;
  std::string problem;  // empty: the body is what was asked for
};
[[nodiscard]] Said said(const NodeClient& node, NodeClient::Answered answered);

// Asks one node after another, until one answers at all.
[[nodiscard]] Said get_from_any(const Access& access, const std::string& target);
[[nodiscard]] Said post_to_any(const Access& access, const std::string& target,
                               const std::string& body);

// The same as JSON; a null: `problem` says why.
[[nodiscard]] nlohmann::json json_from_any(const Access& access, const std::string& target,
                                           std::string& problem);
[[nodiscard]] nlohmann::json parsed(const Said& said, std::string& problem);

int fail(std::ostream& err, const std::string& problem);

}  // namespace fixkeep::ctl
