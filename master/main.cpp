// fixkeep-master: takes match requests over HTTP and agrees with the other masters on new rooms.

#include <boost/asio/io_context.hpp>
#include <iostream>

#include "common/auth/incarnation.hpp"
#include "common/node/signals.hpp"
#include "common/obs/log.hpp"
#include "common/obs/version.hpp"
#include "common/process/self.hpp"
#include "master/shell/server.hpp"
#include "master/shell/settings.hpp"

int main(int argc, char** argv) {
  using namespace fixkeep;

  node::guard_signals();
  auto started = master::start(argc, argv, std::cout, std::cerr);
  if (const auto* exit = std::get_if<config::ExitCode>(&started)) return exit->code;
  auto& settings = std::get<master::Settings>(started);
  settings.core.incarnation = auth::new_incarnation();
  settings.links.self.incarnation = settings.core.incarnation;
  settings.engine.seed = settings.core.incarnation.number();

  process::raise_descriptor_limit();
  node::ConfigurationInEffect in_effect{to_json(settings), settings.log};
  if (const auto opened = obs::start_log(settings.log); !opened) {
    obs::log_error("cannot open the log file",
                   {{"file", settings.log.file}, {"reason", opened.error().message()}});
    return 1;
  }
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

  const auto reload = [&] {
    auto read = master::read_again(argc, argv);
    if (const auto* problems = std::get_if<config::Problems>(&read)) {
      node::refuse(*problems, in_effect);
    } else {
      const auto& fresh = std::get<master::Settings>(read);
      node::take_over({to_json(fresh), fresh.log}, in_effect);
    }
  };
  node::NodeSignals signals{
      context, {.stop = [&] { server->stop(); }, .stop_at_once = nullptr, .reload = reload}};
  context.run();
  signals.release();
  obs::stop_log();
  return 0;
}
