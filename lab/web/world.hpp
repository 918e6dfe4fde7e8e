// A small cluster in simulated time: two to nine masters with the production LockTable, one worker,
// and links with delays. A page draws it.
//
// One step is one event: an arrival, a timer, an act of a player, or a command. Everything follows
// from the settings and the commands.
//
// Fault model. A stopped process reads nothing and sends nothing; a master that gets no message for
// `silence_limit` closes its end of the link. The machine of a killed process closes its links. A
// cut direction keeps its messages until it is healed, as TCP does, or until an end is closed. The
// links keep the promises of lock_machine.hpp, unless the rule `ordered links` is left out.
//
// A master that holds the lock fences if the grant says so. At the end of the hold, it sends a
// write with its token to the worker, and immediately releases the lock. The worker refuses a write
// if it has seen a higher token.
//
// Invariants: 1. Both ends of a link are down before the masters connect again.
//             2. The worker accepts no lower token, unless the fence is off.
// Thread rule: one owner. Bounds: steps_most steps. Errors: a command without sense returns false.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/random.hpp"
#include "lab/web/messages.hpp"
#include "lab/web/plan.hpp"
#include "lock/core/lock_table.hpp"

namespace fixkeep::lab_web {

inline constexpr Duration flight_least{15'000};
inline constexpr Duration flight_most{35'000};
inline constexpr Duration silence_limit{400'000};
inline constexpr Duration lease{1'000'000};
inline constexpr Duration join_grace{1'500'000};

class World {
 public:
  // Makes no step yet. step() leaves out a command of the plan that makes no sense at its time.
  explicit World(const Plan& plan);

  // Makes the next event happen. If the plan's next command is due at the same time or earlier,
  // executes this command instead. Returns false if no event follows without a new command, or if
  // steps_most is reached.
  bool step();
  void run(TimePoint until);          // steps until nothing is due at or before `until`
  void step_to(std::uint64_t steps);  // steps until this number of steps is made
  // Executes the command now, and forgets the later commands of the plan.
  bool command(const Command& command);

  [[nodiscard]] TimePoint next() const;  // time of the next event; TimePoint::max(): none
  [[nodiscard]] TimePoint now() const { return now_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  [[nodiscard]] const std::vector<Command>& commands() const { return commands_; }
  [[nodiscard]] std::vector<int> holders() const;
  [[nodiscard]] std::uint64_t stale_writes() const { return stale_; }
  [[nodiscard]] std::uint64_t grants() const { return grants_; }
  [[nodiscard]] std::string state_json() const;
  [[nodiscard]] std::string records_json(std::size_t from) const;

 private:
  enum class Phase : std::uint8_t { idle, waiting, fencing, working };
  struct Node {
    explicit Node(Random seeded) : random(seeded) {}
    std::optional<lock::LockTable> table;
    Random random;
    Life life = Life::killed;
    TimePoint changed;  // time when `life` changed
    Phase phase = Phase::idle;
    TimePoint since;
    TimePoint due = TimePoint::max();  // next request or end of the hold
    lock::KeyGranted grant;
    bool fenced = false;
    std::deque<Parcel> inbox;  // arrived while the process was stopped
  };
  struct Direction {
    std::deque<Parcel> way;
    bool cut = false;
    bool held = false;
    bool up = false;  // the sender's end
    Duration slower{};
    TimePoint last_arrival;
    TimePoint quiet = TimePoint::max();  // since this time, no message gets through
  };
  enum class Kind : std::uint8_t { none, tick, inbox, arrival, player, silence, dial };
  struct Due {
    TimePoint at = TimePoint::max();
    Kind kind = Kind::none;
    int a = 0;
    int b = 0;
  };

  [[nodiscard]] static const GroupKey& group();  // all masters want this group's lock
  [[nodiscard]] int last() const { return settings_.masters; }
  [[nodiscard]] bool exists(int node) const { return node >= 1 && node <= last(); }
  Node& node(int id) { return nodes_[static_cast<std::size_t>(id - 1)]; }
  [[nodiscard]] const Node& node(int id) const { return nodes_[static_cast<std::size_t>(id - 1)]; }
  Direction& way(int from, int to) { return ways_[index(from, to)]; }
  [[nodiscard]] const Direction& way(int from, int to) const { return ways_[index(from, to)]; }
  [[nodiscard]] std::size_t index(int from, int to) const {
    const auto nodes = static_cast<std::size_t>(last()) + 1;
    return static_cast<std::size_t>(from) * nodes + static_cast<std::size_t>(to);
  }
  [[nodiscard]] TimePoint& dial_at(int a, int b) { return dials_[index(a, b)]; }

  [[nodiscard]] Due due() const;
  [[nodiscard]] bool commanded_before(TimePoint event) const;
  bool execute(const Command& command);
  void take_earlier(Due& best, const Due& other) const;
  void due_of_node(int id, Due& best) const;
  void due_of_direction(int from, int to, Due& best) const;
  [[nodiscard]] bool can_dial(int a, int b) const;
  void begin_step(TimePoint at);

  // --- the life of a master
  void start(int id);
  bool kill(int id);
  bool stop(int id);
  bool resume(int id);

  // --- its player
  void player(int id);
  void ask(int id);
  void leave(int id, bool may_write);
  void rest(int id);
  void granted(int id, lock::KeyGranted&& grant);
  void begin_work(int id);
  void perform(int id, lock::TableActions& actions);

  // --- links
  [[nodiscard]] Duration flight() {
    return Duration{random_.between(flight_least.count(), flight_most.count())};
  }
  void send(int from, int to, Body body);
  void arrive(int from, int to);
  void read(int id, const Parcel& parcel);
  void read_at_worker(const Parcel& parcel);
  void drop_all(int from, int to);
  void close(int id, int peer);
  void connect(int a, int b);
  bool change_link(const Command& command);
  void retime(Direction& direction);
  void hear_again(int from, int to);

  Record& record(std::string_view what, int node, int peer = -1, FencingToken token = {});
  void record(std::string_view what, int node, const Message& message);
  void count_holders();

  Settings settings_;
  std::vector<Command> commands_;
  std::size_t commanded_ = 0;  // commands_ that were executed
  Random random_;
  TimePoint now_;
  std::uint64_t steps_ = 0;
  std::uint64_t messages_ = 0;
  std::vector<Node> nodes_;
  std::vector<Direction> ways_;
  std::vector<TimePoint> dials_;
  FencingToken seen_;  // the highest token that the worker has seen
  std::vector<Record> records_;
  std::uint64_t grants_ = 0, accepted_ = 0, refused_ = 0, stale_ = 0;
  std::size_t holders_ = 0, most_holders_ = 0;
  TimePoint two_since_;
  Duration two_for_{};  // time with two holders, without the present period
};

}  // namespace fixkeep::lab_web
