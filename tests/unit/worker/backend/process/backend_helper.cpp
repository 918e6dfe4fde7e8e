// A worker in small: starts one sleeping process, says its id, and waits to be killed.
#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <string>

#include "worker/backend/process/process_backend.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  boost::asio::io_context context{1};
  using fixkeep::worker::Backend;
  const auto backend =
      fixkeep::worker::make_process_backend(context, {.output = {.file_bytes = 0}});
  // The process writes its own id into the file, then sleeps far longer than any test.
  backend->start(
      fixkeep::RoomNumber{1},
      {.command = {"/bin/sh", "-c", "echo $$ > " + std::string{argv[1]} + "; exec sleep 600"},
       .environment = {"PATH=/usr/bin:/bin"}},
      [](const std::string&) { return Backend::LastLines{[](const std::string&) {}}; });
  context.run();
  return 0;
}
