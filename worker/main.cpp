// fixkeep-worker: starts game processes when a master orders it, and keeps their seats.

#include <boost/asio/io_context.hpp>
#include <iostream>
#include <optional>

#include "common/auth/incarnation.hpp"
#include "common/node/signals.hpp"
#include "common/obs/log.hpp"
#include "common/obs/version.hpp"
#include "common/process/self.hpp"
#include "worker/shell/server.hpp"
#include "worker/shell/settings.hpp"

int main(int argc, char** argv) {
  using namespace fixkeep;

  node::guard_signals();
  auto started = worker::start(argc, argv, std::cout, std::cerr);
  if (const auto* exit = std::get_if<config::ExitCode>(&started)) return exit->code;
  auto& settings = std::get<worker::Settings>(started);
  settings.core.incarnation = auth::new_incarnation();
  settings.links.self.incarnation = settings.core.incarnation;

  process::raise_descriptor_limit();
  node::ConfigurationInEffect in_effect{to_json(settings), settings.log};
  if (const auto opened = obs::start_log(settings.log); !opened) {
    obs::log_error("cannot open the log file",
                   {{"file", settings.log.file}, {"reason", opened.error().message()}});
    return 1;
  }
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

  const auto reload = [&] {
    auto read = worker::read_again(argc, argv);
    if (const auto* problems = std::get_if<config::Problems>(&read)) {
      node::refuse(*problems, in_effect);
    } else {
      const auto& fresh = std::get<worker::Settings>(read);
      node::take_over({to_json(fresh), fresh.log}, in_effect);
    }
  };
  std::optional<node::NodeSignals> signals;
  // When it is asked again, it gives the games no more time.
  signals.emplace(context, node::NodeSignalHandlers{
                               .stop = [&] { server->stop([&] { signals->release(); }); },
                               .stop_at_once = [&] { server->stop([&] { signals->release(); }); },
                               .reload = reload});
  context.run();
  signals->release();
  obs::stop_log();
  return 0;
}
