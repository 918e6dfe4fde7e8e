// fixkeep-lock-node: one participant of a distributed lock, driven by lines of JSON.

#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <csignal>
#include <iostream>

#include "common/obs/log.hpp"
#include "common/process/self.hpp"
#include "lock/node/options.hpp"
#include "lock/node/session.hpp"

int main(int argc, char** argv) {
  using namespace fixkeep;
  process::hold_standard_streams();
  auto parsed = lock_node::parse_options(argc, argv, std::cout, std::cerr);
  if (const auto* exit = std::get_if<lock_node::ExitCode>(&parsed)) return exit->code;
  auto& options = std::get<lock_node::NodeOptions>(parsed);
  std::signal(SIGPIPE, SIG_IGN);  // write() reports the end of the program that drives us
  process::raise_descriptor_limit();
  obs::start_log({.level = obs::LogLevel::info, .node = to_string(options.self)});
  int code = 0;
  {
    boost::asio::io_context context{1};
    lock_node::Session session{context, STDIN_FILENO, STDOUT_FILENO};
    const auto where = config::to_string(options.listen);
    if (const auto started = session.start(std::move(options)); started) {
      context.run();
    } else {
      obs::log_error("cannot start", {{"listen", where}, {"reason", started.error().message()}});
      code = lock_node::exit_cannot_start;
    }
  }
  obs::stop_log();
  return code;
}
