// A small game server over UDP or TCP, with habits. Over UDP it answers "ping" with "pong", "info"
// with "info players=3 bots=1", and A2S_INFO if it is to. Over TCP it keeps each connection until
// its client closes it. It says "Server started" when it listens.
//
// Thread rule: one thread. Bounds: those of a test. Errors: an exit code and a line.
#pragma once

#include <netinet/in.h>

#include <chrono>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/odd_server/options.hpp"

namespace fixkeep::odd {

class Server {
 public:
  explicit Server(Options options) : options_(std::move(options)) {}

  // Runs until a signal ends the process; returns the exit code if it cannot.
  [[nodiscard]] int run();

 private:
  using Clock = std::chrono::steady_clock;
  struct Answer {
    Clock::time_point at;
    sockaddr_in to;
    std::string bytes;
  };

  bool bind_port();
  void serve();
  void hear_packet();
  void hear_connections();
  [[nodiscard]] std::string answer_to(std::string_view question, std::uint16_t port);
  void send_what_is_due();
  [[nodiscard]] bool hangs() const;

  Options options_;
  int socket_ = -1;
  Clock::time_point begun_ = Clock::now();
  int packets_ = 0;
  std::set<std::uint16_t> said_ping_;                // ports of clients
  std::map<std::uint32_t, Clock::time_point> last_;  // by their address
  std::deque<Answer> answers_;
  std::vector<int> connections_;
};

}  // namespace fixkeep::odd
