// fixkeep-worker starts game processes on masters' orders and manages their seats.

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
#include "worker/shell/server.hpp"
#include "worker/shell/settings.hpp"

int main(int argc, char** argv) {
  using namespace fixkeep;
  process::hold_standard_streams();
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
  auto in_effect = node::in_effect(settings, program.show);
  if (!node::open_log(settings.log)) return 1;
  node::tell_doubts(settings.doubts);
  boost::asio::io_context context{1};
  node::StartFailure failure;
  const auto server = worker::Server::start(context, std::move(settings), failure);
  if (!server) {
    node::report(failure);
    return 1;
  }

  node::Service service{context, "starts rooms when masters order them"};
  const auto take_over = [&] {
    auto read = program.read_again(argc, argv);
    if (!node::reload(read, program.show, in_effect, {"games", "tls", "admin.tls", "masters"}))
      return false;
    node::tell_doubts(std::get<worker::Settings>(read).doubts);
    server->take_over(std::get<worker::Settings>(std::move(read)));
    return true;
  };
  std::optional<node::NodeSignals> signals;
  const auto ended = [&] {
    signals->release();
    service.end();
  };
  const auto stop = [&] {
    service.stopping("waits for the end of its games");
    server->stop(ended);
  };
  // leave() may have no effect. So the worker reports `stopping` only when leave() calls back.
  const auto leave = [&] {
    server->leave([&] {
      service.stopping("leaves its games to its next run");
      ended();
    });
  };
  // Each further request makes the stop faster: see Server::stop().
  signals.emplace(context, node::NodeSignalHandlers{.stop = stop,
                                                    .stop_at_once = [&] { server->stop(ended); },
                                                    .reload = [&] { service.reload(take_over); },
                                                    .leave = leave});
  // SIGTERM causes a clean stop only from here on. A supervisor may wait for this line before it
  // sends SIGTERM.
  obs::log_info("worker started",
                {{"version", obs::version()}, {"admin_port", server->admin_port()}});
  context.run();
  signals->release();
  obs::stop_log();
  return 0;
}
