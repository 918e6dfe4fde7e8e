// fixkeep-master: takes match requests over HTTP and agrees with the other masters on new rooms.

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <iostream>

#include "common/auth/incarnation.hpp"
#include "common/obs/log.hpp"
#include "common/obs/process.hpp"
#include "master/server.hpp"
#include "master/settings.hpp"

int main(int argc, char** argv) {
  using namespace fixkeep;

  auto started = master::start(argc, argv, std::cout, std::cerr);
  if (const auto* exit = std::get_if<config::ExitCode>(&started)) return exit->code;
  auto& settings = std::get<master::Settings>(started);
  settings.core.incarnation = auth::new_incarnation();
  settings.links.self.incarnation = settings.core.incarnation;
  settings.engine.seed = settings.core.incarnation.number();

  obs::raise_descriptor_limit();
  obs::start_log(settings.log);
  boost::asio::io_context context{1};
  master::StartFailure failure;
  const auto strategy = settings.core.locks.strategy;
  const auto server = master::Server::start(context, std::move(settings), failure);
  if (!server) {
    obs::log_error(failure.what, {{"reason", failure.error.message()}});
    obs::stop_log();
    return 1;
  }
  obs::log_info("master started", {{"version", obs::version()},
                                   {"http_port", server->http_port()},
                                   {"mesh_port", server->mesh_port()},
                                   {"lock", strategy}});

  boost::asio::signal_set signals{context, SIGINT, SIGTERM};
  signals.async_wait([&](boost::system::error_code error, int signal) {
    if (error) return;
    obs::log_info("master stops", {{"signal", obs::signal_name(signal)}});
    server->stop();
  });
  context.run();
  obs::stop_log();
  return 0;
}
