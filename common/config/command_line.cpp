#include "common/config/command_line.hpp"

#include <CLI/CLI.hpp>

namespace fixkeep::config {

std::variant<CommandLine, ExitCode> parse_command_line(int argc, const char* const* argv,
                                                       const ProgramTexts& texts, std::ostream& out,
                                                       std::ostream& err) {
  CommandLine line;
  CLI::App app{texts.description};
  app.add_option("--config", line.file, "configuration file: JSON with comments")
      ->type_name("FILE");
  app.add_option("--set", line.settings,
                 "sets one key, over the file and the environment; may be repeated")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_flag("--check", line.check, "checks the configuration and ends");
  app.add_flag("--print", line.print, "prints the settings in effect, without secrets, and ends");
  app.add_flag("--schema", line.schema,
               "prints the JSON schema of the configuration file and ends");
  if (!texts.upgrade.empty()) app.add_flag("--upgrade", line.upgrade, texts.upgrade);
  app.set_version_flag("--version", texts.version);
  app.footer("Environment variables FIXKEEP_HTTP_PORT and so on set http.port and so on.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return ExitCode{app.exit(error, out, err) == 0 ? 0 : exit_invalid_configuration};
  }
  return line;
}

}  // namespace fixkeep::config
