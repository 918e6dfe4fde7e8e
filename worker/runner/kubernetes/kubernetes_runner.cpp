#include "worker/runner/kubernetes/kubernetes_runner.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <set>
#include <utility>

#include "common/base/assert.hpp"
#include "common/net/steady_clock.hpp"
#include "common/obs/log.hpp"
#include "worker/runner/kubernetes/pod_calls.hpp"
#include "worker/runner/kubernetes/pod_cluster.hpp"
#include "worker/runner/kubernetes/pod_game.hpp"
#include "worker/runner/kubernetes/pod_outputs.hpp"
#include "worker/runner/kubernetes/pod_texts.hpp"
#include "worker/runner/note_files.hpp"
#include "worker/runner/port_range.hpp"
#include "worker/runner/start_queue.hpp"
#include "worker/runner/state_folder.hpp"

namespace fixkeep::worker {
namespace {

using namespace kubernetes;

constexpr std::chrono::seconds pods_removal_limit{30};
constexpr std::chrono::milliseconds late{2000};  // wait for a pod of an order whose answer was lost
constexpr std::chrono::seconds refusal_rest{10};  // rest after the server took no pods
constexpr std::size_t starts_at_once = 16;
class KubernetesRunner final : public GameRunner,
                               public RoomOutputs,
                               public std::enable_shared_from_this<KubernetesRunner> {
 public:
  KubernetesRunner(boost::asio::io_context& context, const RunnerOptions& options)
      : context_(context),
        state_(state_folder_of(options)),
        notes_(state_.path() + "/notes"),
        upgrade_(options.upgrade),
        options_(options.kubernetes),
        most_ports_(std::max<std::size_t>(options.most_ports, 1)),
        ports_(options.first_port, options.last_port, {}),
        rest_(context),
        cluster_(context, {options.cluster, options.worker.text()},
                 {.listed = [this](const auto& all) { listed(all); },
                  .changed = [this](const Pod& pod) { changed(pod); },
                  .removed = [this](const Pod& pod) { removed(pod); },
                  .away = [this](const std::string& why) { is_away(why); },
                  .back = [this] { is_back(); }}),
        output_(cluster_, options.output.kept_rooms),
        queue_(options.starts_at_once > 0 ? options.starts_at_once : starts_at_once) {}
  ~KubernetesRunner() override { end_all(); }
  KubernetesRunner(const KubernetesRunner&) = delete;
  KubernetesRunner& operator=(const KubernetesRunner&) = delete;

  std::string open() override {
    if (auto refused = state_.take(upgrade_); !refused.empty()) return refused;
    return cluster_.open(options_, found_);
  }

  void adopt(RoomNumber room, const Launch& launch, Handlers handlers) override {
    const auto known = std::find_if(found_.begin(), found_.end(),
                                    [&](const Pod& pod) { return pod.room == launch.name; });
    if (known == found_.end()) {
      add(room, launch, std::move(handlers), {}, "");
      return end_later(room, {.how = "it has no pod any more"});
    }
    for (const wire::NamedPort& port : known->ports) ports_.claim(port.number);
    const auto game = add(room, launch, std::move(handlers), known->ports, known->owner);
    game->order.name = known->name;
    rooms_.emplace(known->name, Held{room, game});
    take(room, game, game->life.adopt());
  }

  void end_others() override {
    ended_others_ = true;
    notes_.forget_others();
    std::vector<std::string> names;
    for (const Pod& pod : found_) {
      if (!rooms_.contains(pod.name)) names.push_back(pod.name);
    }
    found_.clear();
    const auto left = cluster_.remove_and_wait(names, pods_removal_limit);
    if (left > 0) obs::log_warning("earlier pods could not be removed", {{"pods", left}});
  }

  void start(RoomNumber room, const Launch& launch, Handlers handlers) override {
    const auto names = ports_of_room(launch.pod);
    most_ports_ = std::max(most_ports_, names.size());
    const auto numbers = ports_.take(names.size(), net::steady_now());
    std::vector<wire::NamedPort> ports;
    for (std::size_t i = 0; i < numbers.size(); ++i) ports.push_back({names[i], numbers[i]});
    const auto game = add(room, launch, std::move(handlers), std::move(ports), "");
    if (numbers.empty()) return end_later(room, never_ran("no port is free for it", true));
    rooms_.emplace(game->order.name, Held{room, game});
    queue_.add(room);
    start_next();
    places_changed();
  }

  void ask_to_end(RoomNumber room) override {
    if (const auto game = find_begun(room)) take(room, game, game->life.ask_to_end());
  }
  void kill(RoomNumber room) override {
    if (const auto game = find_begun(room)) take(room, game, game->life.kill());
  }

  [[nodiscard]] std::size_t running() const override { return games_.size(); }
  [[nodiscard]] std::size_t waiting() const override { return queue_.waiting(); }
  [[nodiscard]] std::optional<std::uint32_t> places() const override {
    return why_no_places().empty() ? static_cast<std::uint32_t>(ports_.free() / most_ports_) : 0;
  }
  [[nodiscard]] std::string why_no_places() const override {
    if (!why_resting_.empty()) return why_resting_;
    for (const auto& [room, game] : games_) {
      const std::string& why = game->life.pod().why_waiting;
      if (game->life.waits_for_a_node()) return "no node has room for a pod: " + why;
    }
    return cluster_.problem();
  }
  [[nodiscard]] std::string problem_of(const std::vector<std::string>&) const override {
    return cluster_.problem();
  }
  [[nodiscard]] bool is_elsewhere() const override { return true; }
  [[nodiscard]] std::string state_folder() const override { return state_.path(); }
  [[nodiscard]] bool relays_sdk() const override { return !options_.sdk.image.empty(); }
  [[nodiscard]] RoomOutputs* outputs() override { return this; }
  [[nodiscard]] RoomNotes* notes() override { return &notes_; }

  // --- outputs
  void follow(RoomNumber room, bool on) override {
    if (const PodGamePtr game = find(room)) output_.follow(game, on);
  }
  // Returns the output of the last look and looks again.
  [[nodiscard]] std::optional<std::string> output_of(const std::string& name,
                                                     std::size_t most) const override {
    for (const auto& [number, game] : games_) {
      if (game->launch.name == name) output_.look(*game);
    }
    return output_.last(name, most);
  }
  [[nodiscard]] std::string folder() const override { return {}; }

  void leave() override {
    std::vector<std::string> alone;
    for (const auto& [name, held] : rooms_) {
      const bool ended = !games_.contains(held.room);
      if (ended || held.game->launch.alone <= std::chrono::milliseconds{0}) alone.push_back(name);
    }
    close();
    (void)cluster_.remove_and_wait(alone, pods_removal_limit);
  }
  void stop() override { end_all(); }

 private:
  struct Held {  // held until its pod is gone, which may be after the game's end
    RoomNumber room;
    PodGamePtr game;
  };

  // --- one game
  PodGamePtr add(RoomNumber room, const Launch& launch, Handlers handlers,
                 std::vector<wire::NamedPort> ports, std::string owner) {
    FIXKEEP_ASSERT(!games_.contains(room), std::to_string(room.number()));
    PodOrder order = pod_order(launch, cluster_.owner(), std::move(ports), options_.sdk);
    if (owner.empty()) owner = owner_text(order);
    PodLife life{std::move(owner), order.grace, launch.boot_timeout};
    const auto game = std::make_shared<PodGame>(context_, launch, std::move(handlers),
                                                std::move(order), std::move(life));
    game->followed = launch.follow;
    games_.emplace(room, game);
    notes_.begin(room, launch.name, launch.note);
    return game;
  }

  // Null: no game, or it has not had its turn and its end is told.
  PodGamePtr find_begun(RoomNumber room) {
    if (queue_.take_out(room)) {
      is_gone(games_.at(room)->order);
      end_later(room, never_ran("it was not wanted any more before it ran", true));
      return nullptr;
    }
    return find(room);
  }
  [[nodiscard]] PodGamePtr find(RoomNumber room) const {
    const auto found = games_.find(room);
    return found == games_.end() ? nullptr : found->second;
  }

  void start_next() {
    while (const auto room = queue_.next()) {
      const PodGamePtr game = games_.at(*room);
      take(*room, game, game->life.start());
    }
  }

  void take(RoomNumber room, const PodGamePtr& game, const PodStep& step) {
    if (step.placed && game->handlers.placed) game->handlers.placed(place_of(*game));
    if (step.begun) {
      is_started(room);
      output_.begun(game);
      if (game->handlers.begun) game->handlers.begun();
    }
    if (!step.no_room.empty()) take_a_rest(step.no_room);
    if (step.patience) ring_later(room, game, game->patience, *step.patience, &PodLife::is_late);
    if (step.ring) ring_later(room, game, game->timer, *step.ring, &PodLife::rang);
    if (step.ask) ask(room, game, step);
    if (step.ended) end_later(room, *step.ended);
    if (std::exchange(game->had_room, !game->life.waits_for_a_node()) != game->had_room) {
      if (!game->had_room) tell_of_nodes(*game);
      places_changed();
    }
    if (step.gone) is_gone(game->order);
  }

  void ring_later(RoomNumber room, const PodGamePtr& game, boost::asio::steady_timer& timer,
                  std::chrono::milliseconds after, PodStep (PodLife::*rings)()) {
    timer.expires_after(after);
    timer.async_wait([this, room, rings, &timer, known = std::weak_ptr{game}](auto cancelled) {
      const auto still = known.lock();
      if (cancelled || !still || closed_) return;
      const bool is_set_anew = timer.expiry() > std::chrono::steady_clock::now();
      if (!is_set_anew) take(room, still, (still->life.*rings)());
    });
  }

  void ask(RoomNumber room, const PodGamePtr& game, const PodStep& step) {
    cluster_.ask(step, game->order, game->life.pod(),
                 [this, game, room, what = *step.ask](const PodAnswer& answer) {
                   if (what == PodAsk::read_log) output_.put(game->launch.name, answer.log);
                   take(room, game, game->life.answered(what, answer));
                 });
  }

  // A node may count a pod's ports as long as the pod exists.
  void is_gone(const PodOrder& order) {
    if (rooms_.erase(order.name) == 0) return;
    for (const wire::NamedPort& port : order.ports) ports_.give_back(port.number);
    places_changed();
  }

  [[nodiscard]] wire::RoomPlace place_of(const PodGame& game) const {
    const Pod& pod = game.life.pod();
    for (const std::string& known : {pod.node, pod.host}) {
      const auto address = options_.addresses.find(known);
      if (address != options_.addresses.end()) return {address->second, game.order.ports};
    }
    return {pod.host, game.order.ports};
  }

  void is_started(RoomNumber room) {
    queue_.done(room);
    boost::asio::post(context_, [this, alive = weak_from_this()] {
      if (alive.lock() && !closed_) start_next();
    });
  }

  void end_later(RoomNumber room, GameEnd end) {
    boost::asio::post(context_, [this, alive = weak_from_this(), room, end = std::move(end)] {
      if (!alive.lock() || closed_) return;
      const auto node = games_.extract(room);
      if (node.empty()) return;
      const PodGamePtr& game = node.mapped();
      output_.ended(game->launch.name);
      notes_.end(room);
      is_started(room);
      game->handlers.ended(end);
      places_changed();
    });
  }

  // --- the cluster
  void listed(const std::vector<Pod>& all) {
    std::set<std::string> names;
    for (const Pod& pod : all) {
      names.insert(pod.name);
      changed(pod);
    }
    const auto rooms = rooms_;
    for (const auto& [name, held] : rooms) {
      if (!names.contains(name)) take(held.room, held.game, held.game->life.missing());
    }
  }
  void changed(const Pod& pod) {
    const auto found = rooms_.find(pod.name);
    if (found == rooms_.end()) {
      if (ended_others_) cluster_.remove_stray(pod);
      return;
    }
    const Held held = found->second;
    take(held.room, held.game, held.game->life.shown(pod));
  }
  void removed(const Pod& pod) {
    const auto found = rooms_.find(pod.name);
    if (found == rooms_.end()) return;
    const Held held = found->second;
    take(held.room, held.game, held.game->life.removed(pod));
  }
  void is_away(const std::string& why) const {
    obs::log_error("the API server does not answer, so no room can start", {{"reason", why}});
    places_changed();
  }
  void is_back() {
    obs::log_info("the API server answers again", {});
    places_changed();
    start_next();
  }
  static void tell_of_nodes(const PodGame& game) {
    obs::log_warning("no node has room for a pod, so no more rooms are taken until one has",
                     {{"pod", game.order.name}, {"reason", game.life.pod().why_waiting}});
  }
  void take_a_rest(const std::string& why) {
    why_resting_ = why;
    rest_.expires_after(refusal_rest);
    rest_.async_wait([this, alive = weak_from_this()](boost::system::error_code cancelled) {
      if (cancelled || !alive.lock() || closed_) return;
      why_resting_.clear();
      places_changed();
    });
    places_changed();
  }

  // No handler is called any more.
  void close() {
    closed_ = true;
    cluster_.close();
    rest_.cancel();
    games_.clear();
    rooms_.clear();
  }
  void end_all() {
    if (closed_) return;
    std::vector<std::string> names;
    for (const auto& [name, held] : rooms_) names.push_back(name);
    // A server that was told to make a pod may do so after we stop listening.
    const bool may_come = std::any_of(games_.begin(), games_.end(), [](const auto& each) {
      return each.second->life.is_being_created();
    });
    close();
    const auto left =
        cluster_.remove_and_wait(names, pods_removal_limit, may_come ? late : late.zero());
    if (left == 0) return;
    obs::log_error("pods could not be removed; the next run does it", {{"pods", left}});
  }

  boost::asio::io_context& context_;
  StateFolder state_;
  NoteFiles notes_;
  bool upgrade_;
  KubernetesOptions options_;
  std::size_t most_ports_;
  PortRange ports_;
  boost::asio::steady_timer rest_;
  std::string why_resting_;  // empty: it does not rest
  PodCluster cluster_;
  PodOutputs output_;
  StartQueue queue_;
  std::vector<Pod> found_;  // pods of earlier runs, until end_others()
  std::map<RoomNumber, PodGamePtr> games_;
  std::map<std::string, Held> rooms_;  // key: name of the pod
  bool ended_others_ = false;
  bool closed_ = false;
};

}  // namespace

std::shared_ptr<GameRunner> make_kubernetes_runner(boost::asio::io_context& context,
                                                   const RunnerOptions& options) {
  return std::make_shared<KubernetesRunner>(context, options);
}

}  // namespace fixkeep::worker
