#include "worker/runner/kubernetes/pod_engine.hpp"

#include <algorithm>
#include <utility>

#include "common/net/steady_clock.hpp"
#include "common/obs/log.hpp"
#include "worker/runner/engine/engine_runner.hpp"
#include "worker/runner/kubernetes/pod_calls.hpp"
#include "worker/runner/kubernetes/pod_cluster.hpp"
#include "worker/runner/kubernetes/pod_sights.hpp"
#include "worker/runner/kubernetes/pod_texts.hpp"
#include "worker/runner/port_range.hpp"

namespace fixkeep::worker {
namespace {

using namespace kubernetes;
using engine::Answer;
using engine::Call;
using engine::ObjectPtr;
using engine::Shown;
using engine::Sight;

constexpr std::chrono::seconds pods_removal_limit{30};
constexpr std::chrono::milliseconds late{2000};  // within this time, an unanswered order may make
                                                 // its pod
constexpr std::size_t starts_at_once = 16;

struct PodObject final : engine::Object {
  PodObject(boost::asio::io_context& context, const Launch& with, GameRunner::Handlers to,
            PodOrder as, std::string owner)
      : Object(context, with, std::move(to), pod_traits(as, std::move(owner), with.boot_timeout)),
        order(std::move(as)) {}
  PodOrder order;
};

const PodOrder& order_of(const engine::Object& object) {
  return static_cast<const PodObject&>(object).order;
}

class PodEngine final : public engine::Engine {
 public:
  PodEngine(boost::asio::io_context& context, const RunnerOptions& options)
      : context_(context),
        options_(options.kubernetes),
        most_ports_(std::max<std::size_t>(options.most_ports, 1)),
        ports_(options.first_port, options.last_port, {}),
        cluster_(context, {options.cluster, options.worker.text()},
                 {.listed = [this](const auto& all) { listed(all); },
                  .changed = [this](const Pod& pod) { news_.shown(shown(pod)); },
                  .removed = [this](const Pod& pod) { removed(pod); },
                  .away = [this](const std::string& why) { news_.away(why); },
                  .back = [this] { news_.back(); }}) {}

  [[nodiscard]] Traits traits() override {
    return {.object = "pod",
            .is_elsewhere = true,
            .relays_sdk = !options_.sdk.image.empty(),
            .starts_at_once = starts_at_once};
  }
  std::string open(News news) override {
    news_ = std::move(news);
    return cluster_.open(options_, found_);
  }
  std::vector<std::string> earlier() override {
    std::vector<std::string> names;
    for (const Pod& pod : std::exchange(found_, {})) names.push_back(pod.name);
    return names;
  }
  void close() override { cluster_.close(); }

  Order order(const Launch& launch, GameRunner::Handlers handlers) override {
    const auto names = ports_of_room(launch.pod);
    most_ports_ = std::max(most_ports_, names.size());
    const auto numbers = ports_.take(names.size(), net::steady_now());
    std::vector<wire::NamedPort> ports;
    for (std::size_t i = 0; i < numbers.size(); ++i) ports.push_back({names[i], numbers[i]});
    Order order{object_of(launch, std::move(handlers), std::move(ports))};
    if (numbers.empty()) order.end = never_ran("no port is free for it", true);
    return order;
  }
  Order adopt(const Launch& launch, GameRunner::Handlers handlers) override {
    const auto known = std::find_if(found_.begin(), found_.end(),
                                    [&](const Pod& pod) { return pod.room == launch.name; });
    if (known == found_.end()) {
      return {object_of(launch, std::move(handlers), {}), GameEnd{.how = "it has no pod any more"}};
    }
    for (const wire::NamedPort& port : known->ports) ports_.claim(port.number);
    return {object_of(launch, std::move(handlers), known->ports, &*known)};
  }
  // The ports become free only now, because a node may reserve a pod's ports until the pod is gone.
  void gone(const engine::Object& object) override {
    for (const wire::NamedPort& port : order_of(object).ports) ports_.give_back(port.number);
  }

  void ask(const ObjectPtr& object, const Call& call,
           std::function<void(const Answer& answer)> done) override {
    cluster_.ask(call, order_of(*object), object->life.sight().uid,
                 [this, done = std::move(done)](Answer answer) {
                   if (answer.sight) tell_address(*answer.sight);
                   done(answer);
                 });
  }
  void stream(const ObjectPtr& object, std::function<bool(const std::string& piece)> piece,
              std::function<void()> done) override {
    cluster_.follow_log(order_of(*object), std::move(piece), std::move(done));
  }
  void remove_stray(const Shown& object) override {
    cluster_.remove_stray(object.name, object.sight);
  }
  std::size_t remove_and_wait(const std::vector<std::string>& names, bool more_may_come) override {
    return cluster_.remove_and_wait(names, pods_removal_limit, more_may_come ? late : late.zero());
  }

  [[nodiscard]] std::optional<std::uint32_t> places() const override {
    return static_cast<std::uint32_t>(ports_.free() / most_ports_);
  }
  [[nodiscard]] std::string problem() const override { return cluster_.problem(); }

 private:
  // `known` is the room's pod from an earlier run.
  [[nodiscard]] ObjectPtr object_of(const Launch& launch, GameRunner::Handlers handlers,
                                    std::vector<wire::NamedPort> ports,
                                    const Pod* known = nullptr) {
    PodOrder order = pod_order(launch, cluster_.owner(), std::move(ports), options_.sdk);
    if (known != nullptr) order.name = known->name;
    const std::string owner = known != nullptr ? known->owner : owner_text(order);
    return std::make_shared<PodObject>(context_, launch, std::move(handlers), std::move(order),
                                       owner);
  }

  [[nodiscard]] Shown shown(const Pod& pod) const {
    Shown shown{pod.name, sight_of(pod)};
    tell_address(shown.sight);
    return shown;
  }
  // Replaces a node's address with the address for players, if the options list the node's name or
  // address.
  void tell_address(Sight& sight) const {
    if (!sight.place) return;
    for (const std::string& known : {sight.node, sight.place->host}) {
      const auto address = options_.addresses.find(known);
      if (address == options_.addresses.end()) continue;
      sight.place->host = address->second;
      return;
    }
  }
  void listed(const std::vector<Pod>& all) {
    std::vector<Shown> list;
    list.reserve(all.size());
    for (const Pod& pod : all) list.push_back(shown(pod));
    news_.listed(list);
  }
  void removed(const Pod& pod) {
    Shown last = shown(pod);
    if (last.sight.state != Sight::State::ended) last.sight.end.reset();
    last.sight.state = Sight::State::none;
    news_.shown(last);
  }

  boost::asio::io_context& context_;
  KubernetesOptions options_;
  std::size_t most_ports_;
  PortRange ports_;
  News news_;
  PodCluster cluster_;
  std::vector<Pod> found_;  // pods of earlier runs, until earlier() is called
};

}  // namespace

std::shared_ptr<GameRunner> make_kubernetes_runner(boost::asio::io_context& context,
                                                   const RunnerOptions& options) {
  return engine::make_engine_runner(context, options,
                                    std::make_unique<PodEngine>(context, options));
}

}  // namespace fixkeep::worker
