// fixkeep-hostile-game --port PORT: a room's game that tries what it is told: see attempts.hpp.
//
// Who connects to its port sends one line, the words of an attempt, and reads its answer.
// "descriptors" answers which descriptors it was started with. With --say-user it writes its real
// and its effective user, and ends.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fcntl.h>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "tests/attack/hostile_game/attempts.hpp"

namespace {

std::string open_descriptors() {
  constexpr int looked_at = 4096;
  std::string open;
  for (int number = 0; number < looked_at; ++number) {
    if (::fcntl(number, F_GETFD) >= 0) open += (open.empty() ? "" : " ") + std::to_string(number);
  }
  return open;
}

int listen_at(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool listens =
      ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(socket, 8) == 0;
  return listens ? socket : -1;
}

std::string read_line(int connection) {
  std::string line;
  for (char next = 0; ::recv(connection, &next, 1, 0) == 1 && next != '\n';) line += next;
  return line;
}

// Words are parted by tabs, since paths and commands may have blanks.
std::vector<std::string> words_of(const std::string& line) {
  std::istringstream text{line};
  std::vector<std::string> words;
  for (std::string word; std::getline(text, word, '\t');) words.push_back(word);
  return words;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--say-user") == 0) {
    std::printf("%u %u\n", ::getuid(), ::geteuid());
    return 0;
  }
  const std::string given = open_descriptors();
  const int listener = argc == 3 ? listen_at(std::atoi(argv[2])) : -1;
  if (listener < 0) return 1;
  std::puts("ready");
  std::fflush(stdout);
  for (;;) {
    const int connection = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) return 1;
    const auto words = words_of(read_line(connection));
    const auto answer =
        !words.empty() && words[0] == "descriptors" ? given : fixkeep::attack::attempt(words);
    (void)!::send(connection, answer.data(), answer.size(), MSG_NOSIGNAL);
    ::close(connection);
  }
}
