// fixkeepctl certs makes a cluster's authority, and makes, renews and revokes its nodes'
// certificates.
// Thread rule: one thread. Errors: one sentence on `err` and exit code 1.
#pragma once

#include <functional>
#include <iosfwd>

namespace CLI {
class App;
}

namespace fixkeep::ctl {

// Adds the commands to `app` as subcommands. The chosen command sets `run`, which returns an exit
// code.
void add_certs(CLI::App& app, std::function<int(std::ostream& out, std::ostream& err)>& run);

}  // namespace fixkeep::ctl
