#include "lab/engines_command.hpp"

#include <memory>
#include <ostream>

#include "client-sim/cluster/lock_servers.hpp"
#include "client-sim/interruption.hpp"
#include "client-sim/options.hpp"

namespace fixkeep::client_sim {

int run_engines(const std::vector<std::string>& strategies, std::ostream& out, std::ostream& err) {
  Interruption interruption;
  std::vector<std::unique_ptr<EngineServers>> all;
  for (const auto& strategy : strategies) {
    auto started = EngineServers::start(strategy);
    if (const auto* failure = std::get_if<EngineFailure>(&started)) {
      err << failure->message << '\n';
      return exit_no_cluster;
    }
    all.push_back(std::move(std::get<std::unique_ptr<EngineServers>>(started)));
    // Prints text to copy into a master's configuration.
    out << "\"lock\": { \"strategy\": \"" << strategy << "\", \"servers\": [";
    const char* comma = "";
    for (const auto& address : all.back()->addresses()) {
      out << comma << '"' << address << '"';
      comma = ", ";
    }
    out << "] }" << std::endl;
  }
  out << "Ready. Ctrl-C ends them; their data is lost." << std::endl;
  std::vector<std::string> reported;
  bool gone = false;
  while (!gone && !interruption.wait(std::chrono::seconds{1})) {
    for (const auto& servers : all) {
      for (std::size_t i = 0; i < servers->size(); ++i) {
        if (servers->running(i)) continue;
        err << servers->strategy() << ' ' << servers->addresses()[i] << " has ended\n";
        gone = true;
      }
    }
  }
  return gone ? exit_no_cluster : exit_fine;
}

}  // namespace fixkeep::client_sim
