// A worker in small: starts one sleeping process, whose id is written into a file, and waits to be
// killed.
#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <string>

#include "worker/runner/process/process_runner.hpp"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string folder = argv[1];
  const std::string script = argv[2];
  boost::asio::io_context context{1};
  const auto runner = fixkeep::worker::make_process_runner(
      context, {.state_folder = folder + "/state", .output = {.file_bytes = 0}});
  if (const auto refused = runner->open(); !refused.empty()) {
    std::fputs(refused.c_str(), stderr);
    return 1;
  }
  runner->start(fixkeep::RoomNumber{1},
                {.game = {.command = {"/bin/sh", "-c", script},
                          .environment = {"PATH=/usr/bin:/bin", "OUT=" + folder}},
                 .name = "w1-1-1"},
                {.ended = [](const fixkeep::worker::GameEnd&) {}, .wrote = {}});
  context.run();
  return 0;
}
