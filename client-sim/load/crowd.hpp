// All players of a run: each requests a seat, connects to its room, stays and leaves. See load.hpp.
//
// Thread rule: one io_context with one thread. The crowd must outlive its running coroutines.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/experimental/channel.hpp>
#include <chrono>
#include <memory>
#include <vector>

#include "client-sim/load/http_client.hpp"
#include "client-sim/load/load.hpp"
#include "client-sim/load/own_lateness.hpp"
#include "client-sim/load/room_book.hpp"
#include "client-sim/load/room_visit.hpp"
#include "common/base/random.hpp"

namespace fixkeep::client_sim {

using Clock = std::chrono::steady_clock;

class Crowd {
 public:
  Crowd(const boost::asio::any_io_executor& executor, const Workload& workload,
        const LoadOptions& options, RoomBook& book);

  // Opens each player's first connection. If that fails, the player's first request opens a
  // connection.
  [[nodiscard]] boost::asio::awaitable<void> preconnect();

  // Sets the source of this program's own delay in reading answers. Without this call, no answer
  // counts as read late. REQUIRES: `lateness` outlives the crowd.
  void account_for(const OwnLateness& lateness) { lateness_ = &lateness; }

  // Sets the zero point of all times.
  void start_clock() { start_ = Clock::now(); }

  // Runs all players. Ends when every player is connected or has failed, and every player with a
  // limited stay has left. REQUIRES: start_clock().
  [[nodiscard]] boost::asio::awaitable<void> play();

  void leave_all();

  [[nodiscard]] const std::vector<PlayerRecord>& records() const { return records_; }
  [[nodiscard]] const Progress& progress() const { return progress_; }
  [[nodiscard]] double now_ms() const;

 private:
  struct Decision {
    bool again = false;
    std::chrono::milliseconds pause{0};
  };
  using Gate = boost::asio::experimental::channel<void(boost::system::error_code, bool)>;

  boost::asio::awaitable<void> live(std::size_t number);
  boost::asio::awaitable<void> seek(std::size_t number);
  boost::asio::awaitable<Result<HttpReply>> ask(std::size_t number, std::size_t master,
                                                std::chrono::milliseconds wait);
  boost::asio::awaitable<bool> enter(std::size_t number, MatchAnswer seat, Visit visit);
  [[nodiscard]] bool comes_in(std::size_t number, EntryResult&& entry, Visit visit);
  boost::asio::awaitable<void> open_connections(std::size_t& next);
  Decision note_reply(std::size_t number, const Result<HttpReply>& reply);
  void leave(std::size_t number);

  boost::asio::any_io_executor executor_;
  const Workload& workload_;
  const LoadOptions& options_;
  RoomBook& book_;
  const OwnLateness* lateness_ = nullptr;
  Random random_;
  Clock::time_point start_;
  std::vector<PlayerRecord> records_;
  std::vector<std::vector<std::shared_ptr<RoomVisit>>> visits_;  // each player with its party
  std::vector<std::vector<std::unique_ptr<HttpClient>>> pools_;  // idle connections, by master
  Progress progress_;
  Gate done_;  // each player's coroutine sends one message at its end
};

}  // namespace fixkeep::client_sim
