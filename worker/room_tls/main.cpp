// A room's keeper starts fixkeep-room-tls for a room with a port "wss". See room_tls.hpp.

#include <boost/asio/io_context.hpp>
#include <charconv>
#include <iostream>
#include <string>
#include <string_view>

#include "common/process/self.hpp"
#include "worker/room_tls/room_tls.hpp"

namespace {

constexpr std::string_view usage =
    "fixkeep-room-tls PORT GAME CERTIFICATE KEY: ends TLS for a room. It listens on PORT and\n"
    "passes the plain bytes on to GAME, the game's port on this machine. CERTIFICATE and KEY\n"
    "are PEM files. A worker with rooms.tls starts one for each room that has a port \"wss\".\n";

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
  if (argc != 5 || port_of(argv[1]) == 0 || port_of(argv[2]) == 0) {
    (help ? std::cout : std::cerr) << usage;
    return help ? 0 : 2;
  }
  process::ignore_signals_of_writes();
  process::raise_descriptor_limit();
  boost::asio::io_context context{1};
  worker::RoomTls tls{context,
                      {.port = port_of(argv[1]),
                       .game = port_of(argv[2]),
                       .files = {.certificate = argv[3], .key = argv[4], .clients = {}}}};
  if (const auto problem = tls.open(); !problem.empty()) {
    std::cerr << "fixkeep-room-tls: " << problem << '\n';
    return 1;
  }
  context.run();
  return 0;
}
