// A program with a configuration from a file and the environment and its command line. It reads
// them at its start and again after SIGHUP.
//
// Thread rule: values; load() and show() run on the caller's thread. Errors: a list with their
// places.
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
  std::string upgrade = {};       // effect of --upgrade; empty: no option
  // Lists what may be meant as it stands and mostly is not. Null: there is never any.
  const Problems& (*doubts)(const Settings&) = nullptr;

  // The start of main(). Returns an exit code if the program ends now: help, --check, --print or
  // problems. `err` lists all problems.
  [[nodiscard]] std::variant<Settings, ExitCode> start(int argc, const char* const* argv,
                                                       std::ostream& out, std::ostream& err) const {
    const auto parsed = parse(argc, argv, out, err);
    if (const auto* exit_code = std::get_if<ExitCode>(&parsed)) return *exit_code;
    const auto& line = std::get<CommandLine>(parsed);
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

  // The same once more for a running program. REQUIRES: start() took these arguments.
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
