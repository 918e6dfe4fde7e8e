// Players who all ask at once, each on a connection of its own, and who try the next master when
// one does not answer: with the same player id, as the interface asks of them.
//
// Nothing happens but inside run_until(), which returns between two events as soon as its condition
// holds: so a test can do something to the cluster while requests are waiting.
// Thread rule: one thread. Bounds: `answer_limit` for one answer, `attempts`.
// Errors: std::runtime_error if a condition does not come true in time.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "client-sim/load/api.hpp"
#include "client-sim/load/room_visit.hpp"

namespace fixkeep::support {

struct PlayersOptions {
  std::vector<client_sim::Endpoint> masters;
  std::size_t attempts = 20;
  std::chrono::milliseconds answer_limit{30'000};
};

struct Player {
  std::string id;
  std::string region;
  std::size_t master = 0;  // asked first

  std::size_t asked = 0;  // requests sent
  bool decided = false;   // inside a room, or out of attempts
  bool inside = false;
  bool dropped = false;     // the room closed the connection under the player
  unsigned status = 0;      // of the last answer
  std::string last_answer;  // its body, or why there is none
  client_sim::MatchAnswer seat;
  std::shared_ptr<client_sim::RoomVisit> visit;
};

class Players {
 public:
  explicit Players(PlayersOptions options) : options_(std::move(options)) {}
  ~Players();
  Players(const Players&) = delete;
  Players& operator=(const Players&) = delete;

  // Begins to ask with the next run_until().
  void add(const std::string& id, const std::string& region, std::size_t master);
  // `count` players, spread evenly over the regions r0, r1, … and over the masters.
  void add_burst(std::size_t count, std::size_t regions);

  void run_until(const std::string& what, const std::function<bool()>& condition,
                 std::chrono::milliseconds limit = std::chrono::milliseconds{60'000});
  void run_until_decided();
  // Every connection is cut at once, answered or not.
  void hang_up();

  [[nodiscard]] const std::deque<Player>& all() const { return players_; }
  [[nodiscard]] std::size_t decided() const;
  [[nodiscard]] std::size_t inside() const;
  // What became of those who are not in a room, for the message of a failure.
  [[nodiscard]] std::string failures() const;

 private:
  boost::asio::awaitable<void> live(Player& player);
  // True: it is worth asking again.
  boost::asio::awaitable<bool> ask_once(Player& player, std::size_t master);

  PlayersOptions options_;
  std::deque<Player> players_;  // whose addresses stay
  std::unique_ptr<boost::asio::io_context> context_ = std::make_unique<boost::asio::io_context>(1);
};

}  // namespace fixkeep::support
