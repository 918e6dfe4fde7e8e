// The command line that masters and workers share.
// Thread rule: free functions without state.
#pragma once

#include <iosfwd>
#include <string>
#include <variant>
#include <vector>

namespace fixkeep::config {

struct CommandLine {
  std::string file;                   // value of --config; empty: no file
  std::vector<std::string> settings;  // values of --set, in their order
  bool check = false;                 // validate only
  bool print = false;                 // print the settings that are in effect
  bool schema = false;                // print the JSON schema of the configuration file
  bool upgrade = false;               // replace the running process
};

// The texts of --help and --version.
struct ProgramTexts {
  std::string description;  // the first lines of --help
  std::string version;
  std::string upgrade;  // help of --upgrade; empty: no such option
};

// The program ends immediately with this code: 0 after --help or --version, 2 after a wrong option.
struct ExitCode {
  int code = 0;
};

inline constexpr int exit_invalid_configuration = 2;

[[nodiscard]] std::variant<CommandLine, ExitCode> parse_command_line(int argc,
                                                                     const char* const* argv,
                                                                     const ProgramTexts& texts,
                                                                     std::ostream& out,
                                                                     std::ostream& err);

}  // namespace fixkeep::config
