// fixkeep-worker: starts game processes when a master orders it, and keeps their seats.

#include <boost/asio/io_context.hpp>
#include <iostream>
#include <optional>

#include "common/auth/incarnation.hpp"
#include "common/node/signals.hpp"
#include "common/node/start.hpp"
#include "common/obs/log.hpp"
#include "common/obs/version.hpp"
#include "common/process/self.hpp"
#include "worker/shell/server.hpp"
#include "worker/shell/settings.hpp"

int main(int argc, char** argv) {
  using namespace fixkeep;

  node::guard_signals();
  process::forbid_inspection();
  const auto program = worker::program();
  auto started = program.start(argc, argv, std::cout, std::cerr);
  if (const auto* exit = std::get_if<config::ExitCode>(&started)) return exit->code;
  auto& settings = std::get<worker::Settings>(started);
  settings.core.incarnation = auth::new_incarnation();
  settings.core.seat_root = auth::random_bytes();
  settings.links.self.incarnation = settings.core.incarnation;
  settings.links.self.start = net::start_now();

  process::raise_descriptor_limit();
  node::ConfigurationInEffect in_effect{program.show(settings), settings.log};
  if (!node::open_log(settings.log)) return 1;
  for (const auto& file : settings.open_secrets) {
    obs::log_warning("every user of this machine can read the cluster's secret: chmod 600 the file",
                     {{"file", file}});
  }
  boost::asio::io_context context{1};
  node::StartFailure failure;
  const auto server = worker::Server::start(context, std::move(settings), failure);
  if (!server) {
    node::report(failure);
    return 1;
  }
  obs::log_info("worker started",
                {{"version", obs::version()}, {"admin_port", server->admin_port()}});

  const auto reload = [&] {
    auto read = program.read_again(argc, argv);
    if (!node::reload(read, program.show, in_effect, {"games", "tls", "admin.tls"})) return;
    server->take_over(std::get<worker::Settings>(std::move(read)));
  };
  std::optional<node::NodeSignals> signals;
  // When it is asked again, it gives the games no more time.
  signals.emplace(context, node::NodeSignalHandlers{
                               .stop = [&] { server->stop([&] { signals->release(); }); },
                               .stop_at_once = [&] { server->stop([&] { signals->release(); }); },
                               .reload = reload,
                               .leave = [&] { server->leave([&] { signals->release(); }); }});
  context.run();
  signals->release();
  obs::stop_log();
  return 0;
}
