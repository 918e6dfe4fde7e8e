// The life of one pod: what is asked of the API server next, and what it shows means for the game.
//
//   create; wait until the game runs; it runs; it has ended: read its log, remove the pod
//
// What becomes of a pod is told by a watch, and calls only change something. An API server loses
// answers, takes an order late, and is away for an hour; somebody else may remove the pod or have
// its name; its node may drain, run out of memory or die. So one thing is asked at a time, and
// after each answer that was lost the server is asked to show the pod by its name before anything
// is tried again. The name is the order's, so the server itself refuses a second pod; an annotation
// says whether one that is there is ours, and each removal names the very pod (uid) that is meant.
//
// A pod for which no node has room is waited for with a patience, and then given up: the
// master that ordered it finds a place elsewhere. So is one that has a node and does not start,
// since a volume cannot be mounted or its node is dead: no API server tells either from an image
// that is being pulled, so the patience is that of a large image, and the mode's if it has more.
//
// Invariants: 1. after an answer that was lost the next thing that is asked is a look.
//             2. the end is told as soon as the server has shown, or said, that nothing of the pod
//                runs, or when it was never told to make one. The pod is removed after that, and
//                is gone when the server has said so.
//             3. no pod is removed that does not carry our annotation.
// Fault model: that of the server: any answer, or none, to anything; a watch that is late, tells
// twice, or tells nothing for an hour. A node that is dead never says that a game has ended: after
// `most_looks_after_kill` its pod is removed without it, and the game may go on there, unseen.
// Thread rule: one owner; sans-IO. Bounds: one question under way; `most_tries` of a create; what
// is asked of a server that does not answer is repeated after pauses, `longest_pause` at last:
// without a bound in number once there may be a pod. Errors: in the words of GameEnd.
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
  std::optional<Pod> found;  // by a look or a create
  std::string log;
};

// The owner does this next, in this order.
struct PodStep {
  bool placed = false;  // the pod's host and ports are those of pod()
  bool begun = false;   // the game runs
  std::optional<PodAsk> ask;
  std::chrono::seconds grace{0};                      // of a removal
  bool by_force = false;                              // a removal that asks no node
  std::optional<std::chrono::milliseconds> ring;      // rang() is to be called after it
  std::optional<GameEnd> ended;                       // nothing of it runs any more
  bool gone = false;                                  // nothing is asked any more
  std::optional<std::chrono::milliseconds> patience;  // is_late() is to be called after it, alone
  // The cluster takes no pods for now, and not because of this one: why. Empty: nothing is known.
  std::string no_room;
};

class PodLife {
 public:
  static constexpr int most_tries = 10;
  static constexpr std::chrono::milliseconds shortest_pause{100};
  static constexpr std::chrono::milliseconds longest_pause{5000};
  // A pod that was killed is looked at so often, if its end is not told before.
  static constexpr std::chrono::milliseconds look_after_kill{5000};
  static constexpr int most_looks_after_kill = 12;
  static constexpr std::chrono::seconds kill_grace{1};  // the least that a kubelet waits
  // From when it has a node until it runs. Less than masters wait for a room that starts.
  static constexpr std::chrono::minutes start_patience{5};

  // `owner`: what our annotation says. A game that is asked to end has `grace` for it; for a node
  // with room its pod waits for `patience`, and to be started there for as long or for
  // `start_patience`, whichever is more.
  PodLife(std::string owner, std::chrono::seconds grace, std::chrono::milliseconds patience);

  // One of the two comes first, once.
  [[nodiscard]] PodStep start();
  [[nodiscard]] PodStep adopt();  // one that another run of the worker has begun with

  [[nodiscard]] PodStep ask_to_end();
  [[nodiscard]] PodStep kill();
  [[nodiscard]] PodStep shown(const Pod& pod);    // by the watch
  [[nodiscard]] PodStep removed(const Pod& pod);  // likewise; as it was last
  [[nodiscard]] PodStep missing();                // a list has no such pod
  [[nodiscard]] PodStep answered(PodAsk asked, const PodAnswer& answer);
  [[nodiscard]] PodStep rang();
  [[nodiscard]] PodStep is_late();

  [[nodiscard]] const Pod& pod() const { return pod_; }  // as it was shown last
  [[nodiscard]] bool runs() const { return phase_ == Phase::running; }
  // The server may make its pod at any moment.
  [[nodiscard]] bool is_being_created() const { return under_way_ == PodAsk::create; }
  // No node has room for it.
  [[nodiscard]] bool waits_for_a_node() const {
    return phase_ == Phase::waiting && awaits_ == Awaits::node;
  }

 private:
  enum class Phase : std::uint8_t { creating, waiting, running, reading, removing, over };
  // While it is waiting. It goes on from one to the next and never back, so the wait has an end.
  enum class Awaits : std::uint8_t { nothing, start, node, start_there };

  void looked(const PodAnswer& answer);
  void created(const PodAnswer& answer);
  void removed(const PodAnswer& answer);
  void found(const Pod& pod);
  void found_none();
  void waits(const Pod& pod);
  [[nodiscard]] bool must_wait_for_answer();
  [[nodiscard]] bool is_ours(const Pod& pod) const;

  // Looks before anything else, after a pause that grows with the tries.
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
  Pod pod_;               // its uid is empty as long as none of ours was seen
  bool is_mine_ = false;  // start() or adopt() came
  bool adopted_ = false;
  bool must_look_ = false;
  bool may_be_there_ = false;  // while creating: an answer was lost
  bool is_newer_ = false;      // the watch has told of it while an answer was on its way
  bool wants_end_ = false;
  bool wants_kill_ = false;
  bool asked_to_end_ = false;  // a removal was taken, with the grace below
  std::chrono::seconds asked_grace_{0};
  bool was_forced_ = false;  // a removal was taken that asks no node
  bool was_placed_ = false;
  bool was_waiting_ = false;  // it was seen before it ran
  bool never_runs_ = false;   // its node has said that it cannot
  bool placed_now_ = false;
  bool begun_now_ = false;
  bool no_room_now_ = false;
  Awaits awaits_ = Awaits::nothing;
  bool patience_now_ = false;  // is to begin
  bool is_late_ = false;       // it is over
  std::optional<PodAsk> under_way_;
  std::optional<std::chrono::milliseconds> pause_;  // is to begin
  bool pausing_ = false;
  int tries_ = 0;               // since the last answer that led further
  bool watches_kill_ = false;   // the pause is look_after_kill
  int kill_looks_ = 0;          // since it was killed
  bool told_ = false;           // its end
  std::optional<GameEnd> end_;  // to be told when nothing of it runs
};

}  // namespace fixkeep::worker::kubernetes
