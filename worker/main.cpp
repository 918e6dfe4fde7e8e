// fixkeep-worker: starts game processes when a master orders it, and keeps their seats.

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <functional>
#include <iostream>

#include "common/auth/incarnation.hpp"
#include "common/obs/log.hpp"
#include "common/obs/process.hpp"
#include "worker/settings.hpp"
#include "worker/shell/server.hpp"

int main(int argc, char** argv) {
  using namespace fixkeep;

  auto started = worker::start(argc, argv, std::cout, std::cerr);
  if (const auto* exit = std::get_if<config::ExitCode>(&started)) return exit->code;
  auto& settings = std::get<worker::Settings>(started);
  settings.core.incarnation = auth::new_incarnation();
  settings.links.self.incarnation = settings.core.incarnation;

  obs::raise_descriptor_limit();
  obs::start_log(settings.log);
  boost::asio::io_context context{1};
  worker::StartFailure failure;
  const auto server = worker::Server::start(context, std::move(settings), failure);
  if (!server) {
    obs::log_error(failure.what, {{"reason", failure.error.message()}});
    obs::stop_log();
    return 1;
  }
  obs::log_info("worker started",
                {{"version", obs::version()}, {"http_port", server->http_port()}});

  boost::asio::signal_set signals{context, SIGINT, SIGTERM};
  // Asked again, it ends at once.
  std::function<void()> wait = [&] {
    signals.async_wait([&](boost::system::error_code error, int signal) {
      if (error) return;
      obs::log_info("worker stops", {{"signal", obs::signal_name(signal)}});
      wait();
      server->stop([&] { signals.cancel(); });
    });
  };
  wait();
  context.run();
  obs::stop_log();
  return 0;
}
