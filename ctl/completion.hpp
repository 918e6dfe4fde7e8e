// fixkeepctl completion prints a script that completes all commands in bash (and in zsh with
// bashcompinit).
// Thread rule: a free function. Errors: none.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <iosfwd>

namespace fixkeep::ctl {

// REQUIRES: all other commands have been added.
void add_completion(CLI::App& app, std::function<int(std::ostream& out, std::ostream& err)>& run);

}  // namespace fixkeep::ctl
