// fixkeepctl certs: a cluster's authority, its nodes' certificates, their renewal and their
// revocation.
// Thread rule: one thread. Errors: one sentence on `err` and exit code 1.
#pragma once

#include <functional>
#include <iosfwd>

namespace CLI {
class App;
}

namespace fixkeep::ctl {

// Adds the commands below `app`. The chosen one sets `run`. It returns an exit code.
void add_certs(CLI::App& app, std::function<int(std::ostream& out, std::ostream& err)>& run);

}  // namespace fixkeep::ctl
