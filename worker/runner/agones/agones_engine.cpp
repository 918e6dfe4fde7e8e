#include "worker/runner/agones/agones_engine.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <limits>
#include <map>
#include <utility>

#include "common/net/kubernetes/api_client.hpp"
#include "common/net/kubernetes/watch.hpp"
#include "common/net/steady_clock.hpp"
#include "common/obs/log.hpp"
#include "worker/runner/agones/fleet_texts.hpp"
#include "worker/runner/agones/free_servers.hpp"
#include "worker/runner/complaints.hpp"
#include "worker/runner/engine/engine_runner.hpp"

namespace fixkeep::worker {
namespace {

namespace asio = boost::asio;
using namespace agones;
using namespace engine;
using kubernetes::ApiAnswer;
using kubernetes::ApiClient;
using kubernetes::Json;
using kubernetes::Watch;
using net::steady_now;
using Done = std::function<void(const Answer& answer)>;

// A busy Agones answers a request after tens of seconds.
constexpr std::chrono::seconds allocation_limit{30};
constexpr std::chrono::seconds call_limit{10};
// When the worker shuts down: the limit for the release of servers, and the wait for servers whose
// requests are still under way.
constexpr std::chrono::seconds release_limit{10};
constexpr std::chrono::seconds late_servers{2};
constexpr std::chrono::hours no_look{
    24};  // FleetRooms repeats a release, and the watch shows its result

std::string name_of(const Json& object) {
  return kubernetes::text_at(kubernetes::at(object, "metadata"), "name");
}

// Returns a handler that does nothing after `alive` is gone.
auto while_alive(const std::shared_ptr<char>& alive, auto what) {
  return [known = std::weak_ptr{alive},
          what = std::move(what)](boost::system::error_code cancelled = {}) {
    if (!cancelled && !known.expired()) what();
  };
}

class AgonesEngine final : public Engine {
 public:
  AgonesEngine(asio::io_context& context, const RunnerOptions& options, const FleetOptions& fleet)
      : context_(context),
        kubeconfig_(options.kubernetes.kubeconfig),
        space_(options.kubernetes.name_space),
        owner_{options.cluster, options.worker.text()},
        free_(options.fleets),
        rooms_(fleet),
        timer_(context),
        rest_(context) {}

  // starts_at_once is unlimited, because FleetRooms limits the requests under way.
  [[nodiscard]] Traits traits() override {
    return {.object = "server",
            .is_elsewhere = true,
            .has_output = false,
            .starts_at_once = std::numeric_limits<std::size_t>::max()};
  }
  std::string open(News news) override {
    news_ = std::move(news);
    auto access = kubernetes::find_access(kubeconfig_);
    if (auto* const why = std::get_if<std::string>(&access)) return std::move(*why);
    access_ = std::move(std::get<kubernetes::Access>(access));
    if (space_.empty()) space_ = access_.space.empty() ? "default" : access_.space;
    if (auto refused = watch_servers(context_); !refused.empty()) return refused;
    watch_fleets();
    return {};
  }
  // Begins to release the servers that were not adopted. Returns no names, because the caller need
  // not wait for these servers.
  std::vector<std::string> earlier() override {
    step(&FleetRooms::end_others);
    return {};
  }
  void close() override {
    alive_.reset();
    servers_.reset();
    fleets_.reset();
    client_.reset();
  }

  // A room is ready as soon as it has begun: Agones gives away only servers whose game is ready.
  Order order(const Launch& launch, GameRunner::Handlers handlers) override {
    handlers.begun = [begun = std::move(handlers.begun), ready = handlers.ready] {
      if (begun) begun();
      if (ready) ready();
    };
    if (!launch.object.empty() && !launch.fleets.empty()) {
      return {known(launch, std::move(handlers))};
    }
    return {object_of(launch, std::move(handlers)), never_ran("it has no fleet", false)};
  }
  Order adopt(const Launch& launch, GameRunner::Handlers handlers) override {
    handlers.placed = [placed = std::move(handlers.placed),
                       ready = handlers.ready](const wire::RoomPlace& place) {
      if (placed) placed(place);
      if (ready) ready();
    };
    if (launch.object.empty()) {
      return {object_of(launch, std::move(handlers)), GameEnd{.how = "its server is gone"}};
    }
    const bool was_told = !launch.place.ports.empty();
    step(&FleetRooms::adopt, launch.object, was_told ? std::optional{launch.place} : std::nullopt);
    return {known(launch, std::move(handlers))};
  }
  void gone(const Object& object) override { objects_.erase(object.name); }
  void unwanted(const Object& object) override { step(&FleetRooms::end, object.name); }

  // `make` and `look` are answered by the next news of the room. The other calls are answered
  // immediately, because FleetRooms itself releases servers. It repeats lost requests and releases.
  void ask(const ObjectPtr& object, const Call& call, Done done) override {
    if (call.ask == Ask::make || call.ask == Ask::look) {
      asked_[object->name] = std::move(done);
      if (call.ask == Ask::make) step(&FleetRooms::start, object->name);
      return;
    }
    Answer answer{.kind = Answer::Kind::done};
    if (call.ask == Ask::remove) answer.sight = Sight{};
    asio::post(context_, while_alive(alive_, [done = std::move(done), answer] { done(answer); }));
  }
  void remove_stray(const Shown&) override {}  // FleetRooms releases them
  // The io_context no longer runs here, so the calls and the watch get an io_context of their own.
  std::size_t remove_and_wait(const std::vector<std::string>& names, bool) override {
    if (client_ || (names.empty() && rooms_.unwanted(false) == 0)) return 0;
    asio::io_context own{1};
    rooms_.ask_no_more();
    if (const auto why = watch_servers(own); !why.empty()) return names.size();
    for (const std::string& name : names) step(&FleetRooms::end, name);
    const auto look_until = steady_now() + (rooms_.is_asking() ? late_servers : Duration{0});
    const auto until = steady_now() + release_limit;
    const auto is_done = [&] {
      return rooms_.is_watched() && rooms_.unwanted(true) == 0 && steady_now() >= look_until;
    };
    while (!is_done() && steady_now() < until) {
      own.restart();
      own.run_one_for(std::chrono::milliseconds{50});
      step(&FleetRooms::pass_time);
    }
    close();
    return rooms_.unwanted(false);
  }

  [[nodiscard]] std::optional<std::uint32_t> places() const override {
    const auto free = free_.count(steady_now());
    if (!free) return free;
    // Each room that waits for a server is going to take one of the free servers.
    const auto wait = std::count_if(objects_.begin(), objects_.end(), [](const auto& each) {
      return !each.second->life.sight().place;
    });
    return *free - std::min(*free, static_cast<std::uint32_t>(wait));
  }
  [[nodiscard]] std::string problem() const override {
    const std::string away = problem_of({});
    return away.empty() ? free_.why_none(steady_now()) : away;
  }
  [[nodiscard]] std::string problem_of(const std::vector<std::string>&) const override {
    if (!servers_ || servers_->why_away().empty()) return {};
    return "servers of fleets are not seen: " + servers_->why_away();
  }

 private:
  [[nodiscard]] ObjectPtr object_of(const Launch& launch, GameRunner::Handlers handlers) const {
    return std::make_shared<Object>(context_, launch, std::move(handlers),
                                    ObjectTraits{.kind = "server",
                                                 .engine = "the fleet",
                                                 .name = launch.object,
                                                 .look_after_end = no_look});
  }
  ObjectPtr known(const Launch& launch, GameRunner::Handlers handlers) {
    return objects_[launch.object] = object_of(launch, std::move(handlers));
  }

  // --- the machine (FleetRooms)

  template <class Event, class... Args>
  void step(Event event, const Args&... args) {
    if (!client_) return;
    FleetActions actions;
    (rooms_.*event)(args..., steady_now(), actions);
    for (FleetAction& action : actions) {
      std::visit([this](auto& wanted) { this->perform(std::move(wanted)); }, action);
    }
    const TimePoint next = rooms_.next_tick();
    if (next == TimePoint::max()) return;
    timer_.expires_at(net::to_steady(next));
    timer_.async_wait(while_alive(alive_, [this] { step(&FleetRooms::pass_time); }));
  }

  void perform(AskForServer&& wanted) {
    const Launch& launch = objects_.at(wanted.object)->launch;
    const auto call = allocation(space_, owner_,
                                 {.object = wanted.object,
                                  .attempt = wanted.attempt,
                                  .fleets = launch.fleets,
                                  .environment = launch.game.environment});
    client_->ask(
        call, allocation_limit,
        [this, call, object = wanted.object, fleets = launch.fleets](const ApiAnswer& answer) {
          AskAnswer read = read_allocation(call, answer);
          if (read.kind == AskAnswer::Kind::none) {
            are_empty(fleets);
            if (auto why = free_.missing(fleets); !why.empty()) read.why = std::move(why);
          }
          if (read.kind != AskAnswer::Kind::given) {
            complaints_.tell("a fleet gave no server", object, read.why);
          }
          step(&FleetRooms::answered, object, read);
        });
  }
  void perform(FreeServer&& wanted) {
    const auto call = release(space_, wanted);
    client_->ask(call, call_limit, [this, call, server = wanted.server](const ApiAnswer& answer) {
      const FreeAnswer read = read_release(call, answer);
      if (read == FreeAnswer::failed) {
        complaints_.tell("a server could not be released", server.name,
                         kubernetes::judge(call, answer).words);
      }
      step(&FleetRooms::freed, server.uid, read);
    });
  }
  void perform(LookForServer&& wanted) {
    const auto selector = selector_of_room(wanted.object);
    client_->ask({.target = servers_in(space_).collection() +
                            kubernetes::query({{"labelSelector", selector}})},
                 call_limit, [this, object = wanted.object](const ApiAnswer& answer) {
                   step(&FleetRooms::looked, object, has_objects(answer));
                 });
  }

  // News about a room is posted: it arrives in order, and only after the call that caused it.
  template <class News>
  void perform(const News& news) {
    asio::post(context_, while_alive(alive_, [this, news] {
                 const auto found = objects_.find(news.object);
                 if (found != objects_.end()) tell(*ObjectPtr{found->second}, news);
               }));
  }
  void tell(const Object& object, const FleetShown& news) {
    if (const auto asked = asked_.extract(object.name)) {
      asked.mapped()({.kind = Answer::Kind::done, .sight = news.sight});
    } else {
      news_.shown({object.name, news.sight});
    }
    news_.changed();
  }
  static void tell(const Object& object, const FleetClosing& news) {
    if (object.handlers.closing) object.handlers.closing(news.why);
  }
  static void tell(const Object& object, const FleetCounted& news) {
    if (object.handlers.counted) object.handlers.counted(news.players);
  }

  // --- the watches

  std::string watch_servers(asio::io_context& context) {
    auto made = ApiClient::make(context, access_);
    if (auto* const why = std::get_if<std::string>(&made)) return std::move(*why);
    client_ = std::move(std::get<0>(made));
    servers_ = std::make_unique<Watch>(
        context, *client_,
        kubernetes::ReflectorOptions{.resource = servers_in(space_), .labels = selector_of(owner_)},
        Watch::Handlers{.listed = [this](const std::vector<Json>& all) { listed(all); },
                        .changed = [this](const Json& object) { changed(object); },
                        .removed = [this](const Json& object) { removed(object); },
                        .away = [this](const std::string& why) { is_away(why); },
                        .back = [this] { is_back(); }});
    servers_->begin();
    return {};
  }
  void listed(const std::vector<Json>& all) {
    std::vector<FleetServer> servers;
    for (const Json& each : all) {
      if (auto server = read_server(each)) servers.push_back(*std::move(server));
    }
    step(&FleetRooms::listed, servers);
  }
  void changed(const Json& object) {
    const auto server = read_server(object);
    server ? step(&FleetRooms::changed, *server) : removed(object);
  }
  void removed(const Json& object) {
    step(&FleetRooms::gone, kubernetes::text_at(kubernetes::at(object, "metadata"), "uid"));
  }
  void is_away(const std::string& why) {
    rooms_.cut_off();
    if (alive_) news_.away(why);
  }
  void is_back() {
    step(&FleetRooms::goes_on);
    if (alive_) news_.back();
  }

  // Follows the number of free servers. No room depends on this watch.
  void watch_fleets() {
    const auto changed = [this](const Json& fleet) {
      free_.shown(name_of(fleet), ready_servers(fleet));
      news_.changed();
    };
    fleets_ = std::make_unique<Watch>(
        context_, *client_, kubernetes::ReflectorOptions{.resource = fleets_in(space_)},
        Watch::Handlers{.listed =
                            [this, changed](const std::vector<Json>& all) {
                              free_.listed();
                              for (const Json& each : all) changed(each);
                              news_.changed();
                            },
                        .changed = changed,
                        .removed =
                            [this](const Json& fleet) {
                              free_.gone(name_of(fleet));
                              news_.changed();
                            },
                        .away =
                            [](const std::string& why) {
                              obs::log_warning("how many servers of fleets are free is not known",
                                               {{"reason", why}});
                            },
                        .back = [] {}});
    fleets_->begin();
  }
  void are_empty(const std::vector<std::string>& fleets) {
    free_.refused(fleets, steady_now());
    news_.changed();
    rest_.expires_after(FreeServers::rest);
    rest_.async_wait(while_alive(alive_, [this] { news_.changed(); }));
  }

  asio::io_context& context_;
  std::string kubeconfig_;
  std::string space_;
  FleetOwner owner_;
  kubernetes::Access access_;
  FreeServers free_;
  FleetRooms rooms_;
  News news_;
  std::map<std::string, ObjectPtr> objects_;  // the objects of rooms that have not ended
  std::map<std::string, Done> asked_;         // calls that wait for news
  std::unique_ptr<ApiClient> client_;         // null: closed
  std::unique_ptr<Watch> servers_;
  std::unique_ptr<Watch> fleets_;
  asio::steady_timer timer_;
  asio::steady_timer rest_;
  Complaints complaints_{"object"};
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace

std::shared_ptr<GameRunner> make_agones_runner(asio::io_context& context,
                                               const RunnerOptions& options,
                                               const FleetOptions& fleet) {
  return make_engine_runner(context, options,
                            std::make_unique<AgonesEngine>(context, options, fleet));
}

}  // namespace fixkeep::worker
