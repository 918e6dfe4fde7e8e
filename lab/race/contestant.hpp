// One of the clusters of a race: its players of this round and the events of its nodes.
//
// Thread rule: one io_context with one thread; destroyed before the io_context.
// Bounds: RoundView's and the given workloads'; a sweep asks one node at a time. Errors: failure()
// in words; the cluster is not worth watching then.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "client-sim/cluster/cluster.hpp"
#include "client-sim/load/crowd.hpp"
#include "lab/pools/live_rules.hpp"
#include "lab/race/round_view.hpp"
#include "lab/race/state.hpp"

namespace fixkeep::client_sim {

class Contestant {
 public:
  // REQUIRES: the cluster outlives it. `rules`: null where the players of a group are all equal.
  Contestant(boost::asio::io_context& context, std::string lock, Cluster& cluster,
             std::uint32_t capacity, std::shared_ptr<const LiveRules> rules = {});
  Contestant(const Contestant&) = delete;
  Contestant& operator=(const Contestant&) = delete;

  [[nodiscard]] Cluster& cluster() { return cluster_; }

  // REQUIRES: leave_all() and all_decided() of the round before.
  void begin_round(std::size_t first_group, std::size_t groups);
  // The players of one group come now.
  void send(std::shared_ptr<const PoolLoad> players, std::size_t lane);
  [[nodiscard]] bool all_decided() const;
  void leave_all();
  [[nodiscard]] bool all_rooms_closed() const { return view_.all_closed(); }

  // Asks every node once for what it has told since the last sweep.
  [[nodiscard]] boost::asio::awaitable<void> sweep();

  [[nodiscard]] ContestantState state() const;
  // Players of each group of the round that have asked.
  [[nodiscard]] std::vector<std::uint64_t> asked() const;
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  // The players of one group.
  struct Burst {
    std::shared_ptr<const PoolLoad> players;
    std::size_t lane = 0;
    RoomBook rooms;
    std::unique_ptr<Crowd> crowd;
    bool over = false;  // every player is seated, or has given up
  };
  struct Node {
    std::string name;  // its address
    HttpClient client;
    std::uint64_t after = 0;  // the number of the last event that it has told
  };

  boost::asio::awaitable<void> play(Burst& burst);
  [[nodiscard]] RaceTally tally() const;
  [[nodiscard]] std::vector<double> spreads() const;  // spreads of the rooms of this round
  void show_numbers(std::vector<RacedRoom>& rooms) const;

  boost::asio::io_context& context_;
  std::string lock_;
  Cluster& cluster_;
  LoadOptions load_;
  std::vector<Node> nodes_;
  RoundView view_{0, 0};
  std::vector<std::unique_ptr<Burst>> bursts_;
  std::shared_ptr<const LiveRules> rules_;
  RaceTally rounds_before_;
  std::deque<double> match_ms_;  // times of the players seated last
  std::deque<double> spreads_;   // spreads of the last rooms of earlier rounds
  std::string failure_;
};

}  // namespace fixkeep::client_sim
