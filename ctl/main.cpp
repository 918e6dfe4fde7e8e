// fixkeepctl: what an operator does with a cluster.

#include <CLI/CLI.hpp>
#include <iostream>

#include "common/obs/version.hpp"
#include "ctl/certs/commands.hpp"

int main(int argc, char** argv) {
  constexpr int exit_usage = 2;
  CLI::App app{"fixkeepctl: what an operator does with a cluster of FIX Keep"};
  app.set_version_flag("--version", "fixkeepctl " + std::string{fixkeep::obs::version()});
  app.require_subcommand(1);
  std::function<int(std::ostream&, std::ostream&)> run;
  fixkeep::ctl::add_certs(app, run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error, std::cout, std::cerr) == 0 ? 0 : exit_usage;
  }
  return run(std::cout, std::cerr);
}
