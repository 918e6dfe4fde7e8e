// The players: they ask any master for a seat, come to their room, play, and leave; or they hang
// up, or never come, or ask again elsewhere when a master dies or a room is lost.
//
// Thread rule: one owner. Errors: Violation, when a master answers what it must not.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "common/base/random.hpp"
#include "tests/sim/cluster.hpp"

namespace fixkeep::sim {

enum class PlayerState : std::uint8_t {
  absent,      // has not asked yet
  waiting,     // a master owes an answer
  retrying,    // will ask again soon
  travelling,  // has a seat, is on the way to the room
  playing,
  gone,  // has left, hung up, or never meant to come
};

struct Player {
  wire::Claim claim;
  GroupKey group;
  PlayerState state = PlayerState::absent;
  bool hangs_up = false;
  bool never_claims = false;
  bool seated_once = false;
  std::uint32_t attempt = 0;
  std::uint32_t refusals = 0;
  std::size_t master = 0;
  TicketId ticket;  // zero until the master has it
  RoomId room;
  SimTime asked_at{};
};

struct Ticket {
  std::size_t player = 0;
  std::uint32_t attempt = 0;
  TimePoint deadline;  // on the master's clock
  bool answered = false;
  bool cancelled = false;
};

class Clients {
 public:
  Clients(const Options& options, Scheduler& scheduler, Random& random, Cluster*& cluster);

  void start();
  void stop_hanging_up() { calm_ = true; }

  // --- what the cluster tells
  void seated(MasterNode& master, const master::Seated& seated);
  void refused(MasterNode& master, const master::Refused& refused);
  void admitted(WorkerNode& worker, std::uint64_t question, bool admitted);
  void process_ended(WorkerNode& worker, RoomNumber room);
  void master_crashed(MasterNode& master);
  void worker_crashed(WorkerNode& worker);

  // Throws if a running master has left a ticket unanswered beyond its deadline.
  void check_deadlines();

  [[nodiscard]] bool settled() const;  // nobody waits, retries or travels
  [[nodiscard]] const std::vector<Player>& players() const { return players_; }
  [[nodiscard]] std::uint32_t refusals() const { return refusals_; }
  [[nodiscard]] std::vector<Duration>& waits() { return waits_; }

 private:
  using TicketKey = std::pair<Incarnation, TicketId>;

  void make_player(std::size_t index);
  void ask(std::size_t player);
  void ask_again(std::size_t player, Duration delay);
  void reach_master(std::size_t player, std::uint32_t attempt);
  void hang_up(std::size_t player, std::uint32_t attempt);
  void travel(std::size_t player, std::uint32_t attempt);
  void leave(std::size_t player, std::uint32_t attempt);
  void lose_room(std::size_t player);
  Ticket& take_answer(MasterNode& master, TicketId ticket);
  Duration trip() { return Duration{random_.between(50, 5'000)}; }

  const Options& options_;
  Scheduler& scheduler_;
  Random& random_;
  Cluster*& cluster_;
  std::vector<Player> players_;
  std::map<TicketKey, Ticket> tickets_;
  std::map<std::uint64_t, std::pair<std::size_t, std::uint32_t>> questions_;
  std::uint64_t next_question_ = 0;
  std::uint32_t refusals_ = 0;
  bool calm_ = false;
  std::vector<Duration> waits_;
};

}  // namespace fixkeep::sim
