// fixkeepctl: an operator's commands for a cluster.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "common/base/printable.hpp"
#include "common/config/suggestion.hpp"
#include "common/obs/version.hpp"
#include "common/process/self.hpp"
#include "ctl/certs/commands.hpp"
#include "ctl/cluster/actions.hpp"
#include "ctl/cluster/lists.hpp"
#include "ctl/cluster/watch.hpp"
#include "ctl/completion.hpp"
#include "ctl/doctor/command.hpp"
#include "ctl/identity/commands.hpp"

namespace {

// Returns a sentence for the user if the first word is neither a command nor an option; otherwise
// an empty text.
std::string unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return {};
  std::vector<std::string> known;
  for (const CLI::App* const each : app.get_subcommands({})) known.push_back(each->get_name());
  const std::string word = argv[1];
  if (std::ranges::find(known, word) != known.end()) return {};
  return "there is no command \"" + fixkeep::printable(word) + "\"" +
         fixkeep::config::suggestion(word, known) + "; --help lists all";
}

}  // namespace

int main(int argc, char** argv) {
  using namespace fixkeep::ctl;
  fixkeep::process::hold_standard_streams();
  constexpr int exit_usage = 2;
  CLI::App app{"fixkeepctl: what an operator does with a cluster of FIX Keep"};
  app.option_defaults()->always_capture_default();
  app.set_version_flag("--version", "fixkeepctl " + std::string{fixkeep::obs::version()});
  app.require_subcommand(1);
  Run run;
  add_doctor(app, run);
  add_lists(app, run);
  add_actions(app, run);
  add_watch(app, run);
  add_certs(app, run);
  add_identity(app, run);
  add_completion(app, run);
  if (const auto problem = unknown_command(app, argc, argv); !problem.empty()) {
    std::cerr << "fixkeepctl: " << problem << '\n';
    return exit_usage;
  }
  try {
    app.parse(argc, argv);
    return run(std::cout, std::cerr);
  } catch (const CLI::ParseError& error) {
    return app.exit(error, std::cout, std::cerr) == 0 ? 0 : exit_usage;
  } catch (const nlohmann::json::exception&) {
    return fail(std::cerr,
                "the answer there is not from a node of FIX Keep, or from another version");
  }
}
