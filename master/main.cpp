// fixkeep-master: accepts match requests over HTTP, and agrees with the other masters on new rooms.

#include <boost/asio/io_context.hpp>
#include <iostream>
#include <optional>

#include "common/auth/incarnation.hpp"
#include "common/node/service.hpp"
#include "common/node/signals.hpp"
#include "common/node/start.hpp"
#include "common/obs/log.hpp"
#include "common/obs/version.hpp"
#include "common/process/self.hpp"
#include "master/shell/server.hpp"
#include "master/shell/settings.hpp"

// jemalloc reads this variable, which makes a separate thread return memory to the system after two
// seconds without use.
extern "C" const char* const malloc_conf;
const char* const malloc_conf = "background_thread:true,dirty_decay_ms:2000,muzzy_decay_ms:0";

namespace {

// Sets the values that a configuration cannot contain.
void fill_in_this_run(fixkeep::master::Settings& settings) {
  settings.core.incarnation = fixkeep::auth::new_incarnation();
  settings.core.player_key = fixkeep::auth::new_sip_key();
  settings.links.self.incarnation = settings.core.incarnation;
  settings.links.self.start = fixkeep::net::start_now();
  settings.engine.seed = settings.core.incarnation.number();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace fixkeep;
  process::hold_standard_streams();
  node::guard_signals();
  process::forbid_inspection();
  const auto program = master::program();
  auto started = program.start(argc, argv, std::cout, std::cerr);
  if (const auto* exit = std::get_if<config::ExitCode>(&started)) return exit->code;
  auto& settings = std::get<master::Settings>(started);
  fill_in_this_run(settings);

  process::raise_descriptor_limit();
  auto in_effect = node::in_effect(settings, program.show);
  if (!node::open_log(settings.log)) return 1;
  node::tell_doubts(settings.doubts);
  boost::asio::io_context context{1};
  node::StartFailure failure;
  const auto strategy = settings.core.locks.strategy;
  const auto address = settings.http.address;
  const auto server = master::Server::start(context, std::move(settings), failure);
  if (!server) {
    node::report(failure);
    return 1;
  }

  node::Service service{
      context, "takes match requests at " + address + ":" + std::to_string(server->http_port())};
  const auto take_over = [&] {
    auto read = program.read_again(argc, argv);
    if (const auto* wanted = std::get_if<master::Settings>(&read)) {
      const auto refusal = server->list_refusal(*wanted);
      if (refusal) read = config::Problems{{"mesh.masters", 0, "", lock::to_string(*refusal)}};
    }
    if (!node::reload(read, program.show, in_effect,
                      {"tls", "http.tls", "admin.tls", "identity", "mesh.masters", "modes"})) {
      return false;
    }
    node::tell_doubts(std::get<master::Settings>(read).doubts);
    server->renew(std::get<master::Settings>(read));
    return true;
  };
  std::optional<node::NodeSignals> signals;
  const auto ended = [&] {
    service.end();
    signals->release();
  };
  const auto stop = [&] {
    service.stopping("serves for http.stop_delay_ms more, then refuses what waits");
    server->stop(ended);
  };
  // A second stop request ends the wait for http.stop_delay_ms.
  signals.emplace(context, node::NodeSignalHandlers{.stop = stop,
                                                    .stop_at_once = [&] { server->stop(ended); },
                                                    .reload = [&] { service.reload(take_over); },
                                                    .leave = nullptr});
  // From now on SIGTERM makes the master shut down cleanly. A supervisor that has seen this line
  // may send SIGTERM.
  obs::log_info("master started", {{"version", obs::version()},
                                   {"http_port", server->http_port()},
                                   {"admin_port", server->admin_port()},
                                   {"mesh_port", server->mesh_port()},
                                   {"lock", strategy}});
  context.run();
  signals->release();
  obs::stop_log();
  return 0;
}
