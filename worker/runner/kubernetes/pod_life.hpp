// The life of one pod: the next request to the API server and the meaning of its answers for the
// game.
//
//   create; wait until the game runs; it runs; it has ended: read its log, remove the pod
//
// A watch tells the state of a pod. Calls only change something. An API server loses answers, takes
// an order late and is away for an hour. A stranger may remove the pod or have its name. Its node
// may drain, run out of memory or die. There is therefore one request at a time. After each lost
// answer the server shows the pod by its name before the next try. The name is the order's: the
// server itself refuses a second pod. An annotation says whether an existing one is ours. Each
// removal names the uid of its pod.
//
// A pod for which no node has room is waited for with a patience and then given up: the ordering
// master finds a place elsewhere. The same holds for a pod that has a node and does not start: a
// volume cannot be mounted or its node is dead. No API server tells these from an image that is
// being pulled. The patience is therefore enough for a large image, or the mode's if it is longer.
//
// Invariants: 1. The request after a lost answer is a look.
//             2. The end is told as soon as the server has shown or said that no process of the pod
//                runs. It is also told if the server was never told to make one. The pod is then
//                removed. It is gone when the server has said so.
//             3. No pod is removed that does not carry our annotation.
// Fault model: the server's: any answer or no answer to anything. A watch is late, tells twice or
// tells nothing for an hour. A dead node never says that a game has ended: after
// `most_looks_after_kill` its pod is removed without it. The game may go on there unseen. Thread
// rule: one owner; sans-IO. Bounds: one question under way; `most_tries` of a create. A request to
// a server that does not answer is repeated after pauses up to `longest_pause`. Once there may be a
// pod their number has no bound. Errors: in the words of GameEnd.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "common/net/kubernetes/core/api_call.hpp"
#include "worker/runner/game_runner.hpp"
#include "worker/runner/kubernetes/pod.hpp"

namespace fixkeep::worker::kubernetes {

enum class PodAsk : std::uint8_t { look, create, read_log, remove };

struct PodAnswer {
  fixkeep::kubernetes::Verdict verdict;
  std::optional<Pod> found;  // result of a look or a create
  std::string log;
};

// The next steps of the owner in this order.
struct PodStep {
  bool placed = false;  // pod() has its host and ports
  bool begun = false;   // the game runs
  std::optional<PodAsk> ask;
  std::chrono::seconds grace{0};                      // grace of a removal
  bool by_force = false;                              // the removal asks no node
  std::optional<std::chrono::milliseconds> ring;      // time until rang() is to be called
  std::optional<GameEnd> ended;                       // no process of it runs any more
  bool gone = false;                                  // no more requests
  std::optional<std::chrono::milliseconds> patience;  // alone: until is_late() is to be called
  std::string no_room;
};

class PodLife {
 public:
  static constexpr int most_tries = 10;
  static constexpr std::chrono::milliseconds shortest_pause{100};
  static constexpr std::chrono::milliseconds longest_pause{5000};
  // A killed pod is looked at in this interval if its end is not told before.
  static constexpr std::chrono::milliseconds look_after_kill{5000};
  static constexpr int most_looks_after_kill = 12;
  static constexpr std::chrono::seconds kill_grace{1};  // the least that a kubelet waits
  // Limit from its node to its start: less than masters wait for a starting room.
  static constexpr std::chrono::minutes start_patience{5};

  // `owner`: the text of our annotation. `grace`: time for a game that is asked to end. `patience`:
  // wait for a node with room. The wait for the start there is the longer of `patience` and
  // `start_patience`.
  PodLife(std::string owner, std::chrono::seconds grace, std::chrono::milliseconds patience);

  // Either start() or adopt() comes first and once.
  [[nodiscard]] PodStep start();
  [[nodiscard]] PodStep adopt();  // another run of the worker has begun with it

  [[nodiscard]] PodStep ask_to_end();
  [[nodiscard]] PodStep kill();
  [[nodiscard]] PodStep shown(const Pod& pod);    // news of the watch
  [[nodiscard]] PodStep removed(const Pod& pod);  // news of the watch, with the last state
  [[nodiscard]] PodStep missing();                // a list has no such pod
  [[nodiscard]] PodStep answered(PodAsk asked, const PodAnswer& answer);
  [[nodiscard]] PodStep rang();
  [[nodiscard]] PodStep is_late();

  [[nodiscard]] const Pod& pod() const { return pod_; }  // as last shown
  [[nodiscard]] bool runs() const { return phase_ == Phase::running; }
  // The server may make its pod at any moment.
  [[nodiscard]] bool is_being_created() const { return under_way_ == PodAsk::create; }
  // No node has room for it.
  [[nodiscard]] bool waits_for_a_node() const {
    return phase_ == Phase::waiting && awaits_ == Awaits::node;
  }

 private:
  enum class Phase : std::uint8_t { creating, waiting, running, reading, removing, over };
  // Stages of Phase::waiting. They only go forward: the wait has an end.
  enum class Awaits : std::uint8_t { nothing, start, node, start_there };

  void looked(const PodAnswer& answer);
  void created(const PodAnswer& answer);
  void removed(const PodAnswer& answer);
  void found(const Pod& pod);
  void found_none();
  void waits(const Pod& pod);
  [[nodiscard]] bool must_wait_for_answer();
  [[nodiscard]] bool is_ours(const Pod& pod) const;

  // Looks before anything else after a pause that grows with the tries.
  void look_again(const std::string& why, std::chrono::milliseconds at_least = {});
  void enter(Phase phase);
  void not_started(const std::string& why, bool blameless);
  void has_ended(const Pod& pod);
  void unwanted();
  [[nodiscard]] std::string waited_for() const;
  [[nodiscard]] PodStep next();
  [[nodiscard]] PodStep next_ask();
  [[nodiscard]] std::optional<PodAsk> wanted();
  [[nodiscard]] std::chrono::seconds grace_now() const;
  [[nodiscard]] bool by_force() const;

  std::string owner_;
  std::chrono::seconds grace_;
  std::chrono::milliseconds patience_;
  Phase phase_ = Phase::creating;
  Pod pod_;               // its uid is empty until our pod was seen
  bool is_mine_ = false;  // start() or adopt() came
  bool adopted_ = false;
  bool must_look_ = false;
  bool may_be_there_ = false;  // while creating: an answer was lost
  bool is_newer_ = false;      // the watch has told of it while an answer was on its way
  bool wants_end_ = false;
  bool wants_kill_ = false;
  bool asked_to_end_ = false;  // a removal was taken, with the grace below
  std::chrono::seconds asked_grace_{0};
  bool was_forced_ = false;  // a removal without asking the node was taken
  bool was_placed_ = false;
  bool was_waiting_ = false;  // it was seen before it ran
  bool never_runs_ = false;   // its node has said that it cannot
  bool placed_now_ = false;
  bool begun_now_ = false;
  bool no_room_now_ = false;
  Awaits awaits_ = Awaits::nothing;
  bool patience_now_ = false;  // the patience is to begin
  bool is_late_ = false;       // the patience is over
  std::optional<PodAsk> under_way_;
  std::optional<std::chrono::milliseconds> pause_;  // the pause that is to begin
  bool pausing_ = false;
  int tries_ = 0;               // tries since the last helpful answer
  bool watches_kill_ = false;   // the pause is look_after_kill
  int kill_looks_ = 0;          // looks since it was killed
  bool told_ = false;           // its end is told
  std::optional<GameEnd> end_;  // told when no process of it runs
};

}  // namespace fixkeep::worker::kubernetes
