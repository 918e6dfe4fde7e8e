// A room's keeper starts fixkeep-room-tls for a room with a port "wss". See room_tls.hpp.

#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <charconv>
#include <iostream>
#include <string>
#include <string_view>

#include "common/process/self.hpp"
#include "worker/room_tls/room_tls.hpp"

namespace {

constexpr std::string_view usage =
    "fixkeep-room-tls GAME CERTIFICATE KEY: ends TLS for a room. Its standard input is a\n"
    "listening socket. It passes the plain bytes on to GAME, the game's port on this machine.\n"
    "CERTIFICATE and KEY are PEM files. A worker with rooms.tls starts one for each room that\n"
    "has a port \"wss\".\n";

std::uint16_t port_of(std::string_view text) {  // 0: not a port
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc{} && end == text.data() + text.size() ? port : std::uint16_t{0};
}

}  // namespace

int main(int argc, char** argv) {
  using namespace fixkeep;
  process::hold_standard_streams();
  process::forbid_inspection();  // a game may run as the same user
  const bool help = argc == 2 && std::string_view{argv[1]} == "--help";
  if (argc != 4 || port_of(argv[1]) == 0) {
    (help ? std::cout : std::cerr) << usage;
    return help ? 0 : 2;
  }
  process::ignore_signals_of_writes();
  process::raise_descriptor_limit();
  boost::asio::io_context context{1};
  worker::RoomTls tls{context,
                      {.listener = STDIN_FILENO,
                       .game = port_of(argv[1]),
                       .files = {.certificate = argv[2], .key = argv[3], .clients = {}}}};
  if (const auto problem = tls.open(); !problem.empty()) {
    std::cerr << "fixkeep-room-tls: " << problem << '\n';
    return 1;
  }
  context.run();
  return 0;
}
