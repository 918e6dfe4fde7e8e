// The players: they ask any master for a seat, come to their room, play, and leave; or they hang
// up, or never come, or ask again elsewhere when a master dies, is slow, or a room is lost.
//
// A client may have several requests alive: it asks another master while the first one still works
// for it, and the first one notices the hang-up only later, or when it wakes. Rivals are clients
// that share a player: the same one twice, a party and one of its members, two parties.
//
// Sources: players.cpp (who there is), clients.cpp (asking and answers), visits.cpp (in the room).
// Thread rule: one owner. Errors: Violation, when a master answers what it must not, or a door is
// closed that must be open (admission.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "common/base/random.hpp"
#include "tests/sim/admission.hpp"
#include "tests/sim/cluster.hpp"
#include "tests/sim/headroom_judge.hpp"

namespace fixkeep::sim {

enum class PlayerState : std::uint8_t {
  absent,      // has not asked yet
  waiting,     // a master owes an answer
  retrying,    // will ask again soon
  travelling,  // has a seat, is on the way to the room
  playing,
  gone,  // has left, hung up, never meant to come, or plays already as somebody's rival
};

using RequestNumber = std::uint64_t;  // grows with the time of asking

// One client: a player, or the leader of a party.
struct Player {
  wire::Claim claim;
  GroupKey group;
  SimTime arrives{};  // after the start of the load
  PlayerState state = PlayerState::absent;
  bool hangs_up = false;
  bool never_claims = false;
  bool seated_once = false;
  std::uint32_t attempt = 0;  // changes with every plan, so that older plans are void
  std::uint32_t refusals = 0;
  std::size_t master = 0;            // asked last
  std::set<RequestNumber> requests;  // whose answers it reads
  RoomId room;
  SeatAnswer answer;
  std::vector<PlayerId> inside;  // who of the claim is in the room by this client
  std::uint32_t returns = 0;     // how often it has come back
  SimTime asked_at{};
};

// One match request, from its setting out until its master has answered or noticed the hang-up.
struct Request {
  std::size_t player = 0;
  std::size_t master = 0;
  SimTime asked_at{};
  TicketId ticket;               // zero until the master's kernel has it
  std::optional<RoomId> room{};  // that it is for
};

struct Ticket {
  RequestNumber request = 0;
  std::size_t master = 0;
  std::size_t player = 0;
  TimePoint deadline;  // on the master's clock
  SimTime read_at{};
  bool answered = false;
  SimTime cancelled_at = never;
  std::optional<RoomId> room{};  // that it is for
  [[nodiscard]] bool cancelled() const { return cancelled_at != never; }
};

// A client learns that its master died; longer than news of a seat takes to reach the others.
inline constexpr std::int64_t retry_least_us = 100'000;
inline constexpr std::int64_t retry_most_us = 500'000;

class Clients {
 public:
  Clients(const Options& options, Scheduler& scheduler, Random& random, Cluster*& cluster);

  void start();
  void stop_hanging_up() { calm_ = true; }
  // What is wanted by those who wait for an answer, or are about to ask again.
  [[nodiscard]] std::vector<std::pair<GroupKey, wire::Claim>> unserved() const;
  // They hang up.
  void give_up_unserved();

  // --- what the cluster tells
  void seated(MasterNode& master, const master::Seated& seated);
  void cancelled(MasterNode& master, TicketId ticket);
  void refused(MasterNode& master, const master::Refused& refused);
  void worker_stepped(WorkerNode& worker, const worker::Actions& actions);
  void admitted(WorkerNode& worker, std::uint64_t question, bool admitted);
  void process_ended(WorkerNode& worker, RoomNumber room, Ending ending);
  void master_crashed(MasterNode& master);
  void worker_crashed(WorkerNode& worker);
  void worker_killed(WorkerNode& worker);

  // What masters have read, and neither answered nor heard to be given up.
  [[nodiscard]] std::vector<Pending> pending() const { return tickets_of({}); }
  // These, and what was given up since.
  [[nodiscard]] std::vector<Pending> pending_since(SimTime time) const { return tickets_of(time); }
  // Throws if a running master has left a ticket unanswered beyond its deadline.
  void check_deadlines();

  // The size of the largest set of clients that are rivals, also by way of others.
  [[nodiscard]] std::size_t most_rivals() const;
  [[nodiscard]] bool at_rest() const;  // nobody waits, retries or travels
  [[nodiscard]] const std::vector<Player>& players() const { return players_; }
  [[nodiscard]] std::size_t present() const { return presence_.size(); }  // in all rooms together
  [[nodiscard]] std::uint32_t refusals() const { return refusals_; }
  [[nodiscard]] const std::vector<Duration>& waits() const { return waits_; }

 private:
  using TicketKey = std::pair<Incarnation, TicketId>;
  struct Question {  // at a door
    std::size_t player = 0;
    std::uint32_t attempt = 0;
    PlayerId who;
    RoomId room;
    SimTime came_at{};         // when the game asked
    bool to_sleeper = false;   // the worker was paused already
    std::uint64_t pauses = 0;  // of the worker, until then
  };

  // --- players.cpp
  void make_player(std::size_t index);
  void make_rival(Player& made, const Player& earlier, const std::string& name);

  // --- clients.cpp
  void ask(std::size_t player);
  void ask_again(std::size_t player, Duration delay);
  void reach_master(RequestNumber number);
  void hang_up(std::size_t player, RequestNumber number);
  void ask_elsewhere(std::size_t player, RequestNumber number);
  void give_up(RequestNumber number);
  void give_up_all(Player& player);
  void notice_hang_up(RequestNumber number);
  void take_seat(RequestNumber number, const SeatAnswer& answer);
  void take_refusal(RequestNumber number, Duration retry_after);
  [[nodiscard]] std::size_t choose_master(const Player& player);
  // The room in which another one of the group plays, or nothing.
  [[nodiscard]] std::optional<RoomId> choose_room(std::size_t player);
  Ticket& take_answer(MasterNode& master, TicketId ticket);
  [[nodiscard]] std::vector<Pending> tickets_of(std::optional<SimTime> given_up_since) const;

  // --- visits.cpp
  void travel(std::size_t player, std::uint32_t attempt);
  void enter(std::size_t player, const PlayerId& who);
  void step_out(const RoomId& room, const PlayerId& who);
  void step_out_if_last(const RoomId& room, const PlayerId& who);
  [[nodiscard]] bool is_asked_about(const RoomId& room, const PlayerId& who) const;
  void tell_left(const RoomId& room, const PlayerId& who);
  void enter_and_leave(const RoomId& room, const PlayerId& who);
  void leave(std::size_t player, std::uint32_t attempt);
  // It was cut off and finds its seat again.
  void come_back(std::size_t player);
  void return_to_seat(std::size_t player, std::uint32_t attempt, SimTime left_since);
  void lose_room(std::size_t player);
  void room_ended(const RoomId& room);
  [[nodiscard]] bool plays_elsewhere(const Player& player) const;

  Duration trip() { return Duration{random_.between(50, 5'000)}; }

  const Options& options_;
  Scheduler& scheduler_;
  Random& random_;
  Cluster*& cluster_;
  Admission admission_;
  std::vector<Player> players_;
  std::map<RequestNumber, Request> requests_;
  RequestNumber last_request_ = 0;
  std::map<TicketKey, Ticket> tickets_;
  std::map<std::uint64_t, Question> questions_;
  std::uint64_t next_question_ = 0;
  std::map<std::pair<RoomId, PlayerId>, std::uint32_t>
      presence_;  // by how many clients; none: asks anew
  std::uint32_t refusals_ = 0;
  bool calm_ = false;
  std::vector<Duration> waits_;
};

}  // namespace fixkeep::sim
