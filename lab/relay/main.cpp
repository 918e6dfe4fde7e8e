// fixkeep-relay simulates distance between processes of one machine. Its commands are in
// core/command.hpp, its model in core/schedule.hpp.
//
// It is a separate process, so that the simulated players and the judge do not delay its bytes. The
// kernel's netem could do the same, but it needs root and a kernel with netem.

#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <cstring>
#include <iostream>

#include "common/process/self.hpp"
#include "lab/relay/control.hpp"

namespace {

constexpr const char* usage =
    "fixkeep-relay [SEED]: passes TCP connections on with the delay of a long line. Reads one "
    "JSON\n"
    "object a line and answers each:\n"
    "  {\"do\":\"open\",\"wire\":\"a\",\"listen\":10300,\"target\":10001,\"delay_ms\":20,\n"
    "   \"jitter_ms\":0,\"loss_percent\":0}\n"
    "  {\"do\":\"change\",\"wire\":\"a\",\"delay_ms\":80}\n"
    "  {\"do\":\"change\",\"wire\":\"a\",\"cut\":\"out\"}      or \"in\", \"none\"\n"
    "  {\"do\":\"quit\"}\n"
    "SEED, a number, decides jitter and losses (default 1).\n";

}  // namespace

int main(int argc, char** argv) {
  using namespace fixkeep;
  char* end = nullptr;
  const auto seed = argc == 2 ? std::strtoull(argv[1], &end, 10) : 1;
  if (argc > 2 || (end != nullptr && (*end != '\0' || end == argv[1]))) {
    const bool help = argc == 2 && std::strcmp(argv[1], "--help") == 0;
    (help ? std::cout : std::cerr) << usage;
    return help ? 0 : 2;
  }
  process::ignore_signals_of_writes();
  process::raise_descriptor_limit();
  boost::asio::io_context context{1};
  const relay::Control control{context, STDIN_FILENO, STDOUT_FILENO, seed};
  context.run();
  return 0;
}
