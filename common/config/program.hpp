// A program that is configured by file, environment and command line. The program reads all three
// at its start and again after SIGHUP.
//
// Thread rule: values; load() and show() run on the caller's thread. Errors: a list of problems,
// each with its place.
#pragma once

#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/config/command_line.hpp"
#include "common/config/loader.hpp"

namespace fixkeep::config {

template <class Settings>
struct Program {
  std::string name;     // "fixkeep-master"
  std::string purpose;  // one line for --help
  std::string version;
  std::variant<Settings, Problems> (*load)(const CommandLine&,
                                           const std::vector<std::string>& variables);
  Json (*show)(const Settings&);  // settings as in a configuration file, without secrets
  std::string_view (*schema)();   // the JSON schema of a configuration file
  std::string upgrade = {};       // help of --upgrade; empty: no such option
  // Lists settings that are valid but probably a mistake. Null: the program does not look for them.
  const Problems& (*doubts)(const Settings&) = nullptr;

  // Call this first in main(). Returns an exit code if the program ends now: after help, --schema,
  // --check, --print or problems. Writes all problems to `err`.
  [[nodiscard]] std::variant<Settings, ExitCode> start(int argc, const char* const* argv,
                                                       std::ostream& out, std::ostream& err) const {
    const auto parsed = parse(argc, argv, out, err);
    if (const auto* exit_code = std::get_if<ExitCode>(&parsed)) return *exit_code;
    const auto& line = std::get<CommandLine>(parsed);
    if (line.schema) {
      out << schema();
      return ExitCode{0};
    }
    auto loaded = load(line, environment());
    if (const auto* problems = std::get_if<Problems>(&loaded)) {
      if (line.file.empty()) {
        err << "there is no --config FILE, so everything must come from the environment or --set\n";
      }
      for (const auto& problem : *problems) err << to_string(problem) << '\n';
      return ExitCode{exit_invalid_configuration};
    }
    auto& settings = std::get<Settings>(loaded);
    if (line.check && doubts != nullptr) {
      for (const auto& doubt : doubts(settings)) err << "warning: " << to_string(doubt) << '\n';
    }
    if (line.check || line.print) {
      out << (line.print ? show(settings).dump(2) : "configuration is valid") << '\n';
      return ExitCode{0};
    }
    return std::move(settings);
  }

  // Reads the configuration of a running program again. REQUIRES: start() accepted these arguments.
  [[nodiscard]] std::variant<Settings, Problems> read_again(int argc,
                                                            const char* const* argv) const {
    std::ostringstream ignored;
    const auto parsed = parse(argc, argv, ignored, ignored);
    const auto* line = std::get_if<CommandLine>(&parsed);
    return load(line == nullptr ? CommandLine{} : *line, environment());
  }

 private:
  [[nodiscard]] std::variant<CommandLine, ExitCode> parse(int argc, const char* const* argv,
                                                          std::ostream& out,
                                                          std::ostream& err) const {
    return parse_command_line(argc, argv, {name + ": " + purpose, name + " " + version, upgrade},
                              out, err);
  }
};

}  // namespace fixkeep::config
