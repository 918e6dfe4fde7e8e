// One trial of a lock that is not part of FIX Keep. The lock's nodes get clients that contend.
// Messages between nodes pass through the trial. Faults follow a plan that the seed decides.
//
// The protocol is JSON lines as in Maelstrom
// (https://github.com/jepsen-io/maelstrom/blob/main/doc/protocol.md): docs/own-lock.md describes
// it. If a process is stopped, its client stops too. When the process continues, the client's next
// write happens immediately, before the process can read that it has lost the lock.
//
// Thread rule: sans-IO, one owner; the driver performs the actions in their order. Bounds: one
// client for each node and key; at most `most_messages` messages on their way, further messages are
// lost; at most `most_events` events are kept. Errors: failure() says why a trial could not go on.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/random.hpp"
#include "common/base/time.hpp"
#include "lab/own_lock/beliefs.hpp"

namespace fixkeep::own_lock {

inline constexpr std::size_t most_messages = 100'000;
inline constexpr std::size_t most_events = 1'000'000;

enum class Fault : std::uint8_t {
  none,
  delay,  // each message waits for a random time, so a message can overtake another message
  stop,   // a holder stops (SIGSTOP) and continues later
  kill,   // a holder is killed (SIGKILL) and starts again later
  cut,    // messages between some nodes are lost for a time, in one direction or both
};
[[nodiscard]] std::string_view to_string(Fault fault);

struct TrialOptions {
  std::size_t nodes = 3;
  std::size_t keys = 1;
  Fault fault = Fault::none;
  Duration length{std::chrono::seconds{10}};      // counted from the first acquire
  Duration hold{std::chrono::milliseconds{50}};   // time from "acquired" to "release"
  Duration pause{std::chrono::milliseconds{20}};  // longest time from a release to an acquire
  Duration outage{
      std::chrono::milliseconds{4000}};  // length of a stop, of a cut, and until a restart
  Duration delay{std::chrono::milliseconds{100}};  // longest delay of a message
  std::uint64_t seed = 1;
  std::vector<std::string> servers;  // addresses that "init" passes to the nodes
};

// Counts complaints and keeps the first text: "n1: …".
struct Complaints {
  std::uint64_t count = 0;
  std::string first;

  void add(std::string text) {
    if (count++ == 0) first = std::move(text);
  }
};

struct Action {
  enum class Kind : std::uint8_t { say, stop, resume, kill, start };
  Kind kind = Kind::say;
  std::size_t node = 0;
  std::string line;  // only for `say`
};
using Actions = std::vector<Action>;

class Trial {
 public:
  explicit Trial(TrialOptions options);

  // REQUIRES: the driver has started all nodes.
  void begin(TimePoint now, Actions& out);
  // Takes a line that a node has written to its standard output.
  void line(std::size_t node, std::string_view text, TimePoint now);
  // Reports that a process has ended by itself.
  void ended(std::size_t node, const std::string& how);
  void tick(TimePoint now, Actions& out);

  [[nodiscard]] TimePoint next() const;
  [[nodiscard]] bool over() const { return over_; }
  // Returns the reason why the trial could not go on; empty: no such reason.
  [[nodiscard]] const std::string& failure() const { return failure_; }

  [[nodiscard]] Figures finish(TimePoint now);
  // Returns the lines that were not understood.
  [[nodiscard]] const Complaints& strange() const { return strange_; }
  // Returns the answers "error".
  [[nodiscard]] const Complaints& errors() const { return errors_; }
  // Returns the events of the trial: {"at_us","node","what",…}.
  [[nodiscard]] const std::vector<nlohmann::ordered_json>& events() const { return events_; }

 private:
  enum class Node : std::uint8_t { starting, running, stopped, dead };
  struct Client {
    enum class State : std::uint8_t { idle, asking, holding, releasing };
    State state = State::idle;
    TimePoint due = TimePoint::max();  // the next acquire, write or release
    TimePoint since;                   // start of the state
    std::uint64_t asked = 0;           // msg_id of the open question
    int writes_left = 0;
    nlohmann::json token;  // the token in the node's form
  };
  struct Message {
    std::size_t to = 0;
    std::uint64_t number = 0;  // counts all messages of the trial
    std::string line;
  };

  void init(std::size_t node, TimePoint now, Actions& out);
  void say(std::size_t node, nlohmann::json body, Actions& out);
  void answer(std::size_t node, const nlohmann::json& body, TimePoint now);
  void acquired(std::size_t node, std::size_t key, const nlohmann::json& body, TimePoint now);
  void lost(std::size_t node, const nlohmann::json& body, TimePoint now);
  void pass_on(std::size_t from, const nlohmann::json& message, TimePoint now);
  void deliver(TimePoint now, Actions& out);
  void act(std::size_t node, std::size_t key, TimePoint now, Actions& out);
  void rest(Client& client, TimePoint now);
  void forget(std::size_t node);
  void begin_fault(TimePoint now, Actions& out);
  void end_fault(TimePoint now, Actions& out);
  void note(TimePoint now, std::size_t node, std::string_view what,
            nlohmann::ordered_json more = nlohmann::ordered_json::object());
  void strange(std::size_t node, std::string_view text);
  [[nodiscard]] Client& client(std::size_t node, std::size_t key) {
    return clients_[node * options_.keys + key];
  }
  [[nodiscard]] std::string key_name(std::size_t key) const;

  TrialOptions options_;
  Random random_;
  Beliefs beliefs_;
  std::vector<Node> nodes_;
  std::vector<Client> clients_;
  std::multimap<TimePoint, Message> on_their_way_;
  std::vector<std::vector<bool>> cut_;  // [from][to]
  TimePoint began_;
  TimePoint deadline_;  // the nodes must have answered "init" by then
  TimePoint ends_ = TimePoint::max();
  TimePoint next_fault_ = TimePoint::max();
  TimePoint heals_ = TimePoint::max();
  std::size_t victim_ = 0;
  std::uint64_t last_id_ = 0;
  std::uint64_t messages_ = 0;
  Complaints strange_;
  Complaints errors_;
  std::string failure_;
  std::vector<nlohmann::ordered_json> events_;
  bool over_ = false;
};

}  // namespace fixkeep::own_lock
