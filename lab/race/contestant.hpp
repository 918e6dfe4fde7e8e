// One cluster of a race: its players in this round and its nodes' events.
//
// Thread rule: one io_context with one thread; destroyed before the io_context.
// Bounds: those of RoundView and the workloads; a sweep asks one node at a time. Errors: failure()
// in words; the caller then stops watching this cluster.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "client-sim/cluster/cluster.hpp"
#include "client-sim/load/crowd.hpp"
#include "client-sim/load/event_reader.hpp"
#include "lab/pools/live_rules.hpp"
#include "lab/race/round_view.hpp"
#include "lab/race/state.hpp"

namespace fixkeep::client_sim {

class Contestant {
 public:
  // REQUIRES: `cluster` outlives the contestant. `rules`: null if all players of a group are equal.
  Contestant(boost::asio::io_context& context, std::string lock, Cluster& cluster,
             std::uint32_t capacity, std::shared_ptr<const LiveRules> rules = {});
  Contestant(const Contestant&) = delete;
  Contestant& operator=(const Contestant&) = delete;

  [[nodiscard]] Cluster& cluster() { return cluster_; }

  // REQUIRES: leave_all() was called and all_decided() is true for the previous round.
  void begin_round(std::size_t first_group, std::size_t groups);
  // Starts the requests of one group's players.
  void send(std::shared_ptr<const PoolLoad> players, std::size_t lane);
  [[nodiscard]] bool all_decided() const;
  void leave_all();
  // Sets the sums over all rounds to zero. REQUIRES: the same as begin_round().
  void forget_rounds();
  [[nodiscard]] bool all_rooms_closed() const { return view_.all_closed(); }

  // Lets a master run, or stops, kills or cuts it off, as `fate` says. Returns the failure, if any.
  [[nodiscard]] std::string set_fate(std::size_t master, MasterFate fate);

  // Sets the delay of all links, except the links of a master that is cut off. Returns the failure.
  [[nodiscard]] std::string set_link_delay(double one_way_ms);

  // Asks each node one time for its events since the last sweep. Leaves out stopped and killed
  // masters. While a master is stopped, and in a round in which a master was killed, no collision
  // is judged.
  [[nodiscard]] boost::asio::awaitable<void> sweep();

  [[nodiscard]] ContestantState state() const;
  // For each group: the number of its players that have sent requests.
  [[nodiscard]] std::vector<std::uint64_t> asked() const;
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  // The players of one group.
  struct Burst {
    std::shared_ptr<const PoolLoad> players;
    std::size_t lane = 0;
    RoomBook rooms;
    std::unique_ptr<Crowd> crowd;
    bool over = false;  // every player is seated or has given up
  };
  struct Node {
    std::string name;  // address of the node
    HttpClient client;
    std::uint64_t after = 0;  // number of the last event received
    MasterFate fate = MasterFate::runs;
    int silent = 0;  // sweeps without an answer, one after another
  };

  boost::asio::awaitable<void> play(Burst& burst);
  boost::asio::awaitable<void> sweep(Node& node, EventsRead& read);
  [[nodiscard]] RaceTally tally() const;
  [[nodiscard]] std::vector<double> spreads() const;  // spreads of this round's rooms
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
  std::deque<double> match_ms_;  // match times of the players who were seated last
  std::deque<double> spreads_;   // spreads of the last rooms of earlier rounds
  bool events_lost_ = false;     // a master was killed in this round
  std::string failure_;
};

}  // namespace fixkeep::client_sim
