// The room itself: players' connections and the reports to the worker. One epoll loop.
//
// Invariants: 1. The worker admitted every player inside. 2. Every admitted player is reported as
// gone exactly one time: when the player's last connection has ended. A second connection of a
// player replaces the player's first connection. Fault model: players send any bytes at any speed,
// send nothing or vanish. Thread rule: one thread. Bounds: connections, line length and time to
// join are limited. A player that does not read its answers is dropped. Errors: run() returns the
// exit code of the process.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "client-sim/game/options.hpp"
#include "client-sim/game/sdk_client.hpp"
#include "client-sim/game/session.hpp"

namespace fixkeep::game {

class Room {
 public:
  explicit Room(const Options& options);
  ~Room();
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  // Listens, reports the room as ready to the worker and serves players. Ends if the worker is lost
  // for good or refuses the room, or when Options::crash_after has passed.
  [[nodiscard]] int run();

 private:
  using Clock = std::chrono::steady_clock;

  enum class Phase : std::uint8_t {
    joining,  // waiting for the player's JOIN line
    asking,   // waiting for the worker's answer about the player
    inside,
    leaving,  // refused; input is dropped until the player has read the reason
  };

  struct Connection {
    Phase phase = Phase::joining;
    LineReader lines;
    PlayerId player;
    Clock::time_point deadline;  // deadline of the phases joining and leaving
  };
  using Number = std::uint64_t;  // connection number; never used again, unlike a descriptor

  [[nodiscard]] bool listen_for_players();
  [[nodiscard]] int listen_at(const std::string& text);  // 0, or errno
  void accept_players();
  void hear(Number number);
  void take_line(Number number, Connection& connection, const std::string& line);
  void ask_worker(Number number, const PlayerId& player);
  void enter(Number number, const PlayerId& player);
  void answer(Number number, std::string_view line);
  void refuse(Number number, std::string_view reason);
  void drop(Number number);
  void look_at_clock();
  void watch_sdk();
  [[nodiscard]] int milliseconds_to_wait() const;

  const Options options_;
  SdkClient sdk_;
  int loop_ = -1;
  int listener_ = -1;
  std::size_t most_connections_;
  Number last_number_ = 0;
  std::map<Number, Connection> connections_;
  std::map<Number, int> sockets_;
  std::map<PlayerId, Number> inside_;
  bool sdk_wants_write_ = false;
  std::uint32_t sdk_dials_ = 0;  // value of SdkClient::dials() for the watched connection
  bool refused_by_worker_ = false;
  std::optional<Clock::time_point> crash_at_;
  Clock::time_point next_health_;
};

}  // namespace fixkeep::game
