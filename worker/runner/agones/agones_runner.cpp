#include "worker/runner/agones/agones_runner.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <set>
#include <utility>

#include "common/base/assert.hpp"
#include "common/net/kubernetes/api_client.hpp"
#include "common/net/kubernetes/watch.hpp"
#include "common/net/steady_clock.hpp"
#include "common/obs/log.hpp"
#include "worker/runner/agones/fleet_texts.hpp"
#include "worker/runner/agones/free_servers.hpp"
#include "worker/runner/agones/last_release.hpp"
#include "worker/runner/complaints.hpp"
#include "worker/runner/state_folder.hpp"

namespace fixkeep::worker {
namespace {

namespace asio = boost::asio;
using namespace agones;
using kubernetes::ApiAnswer;
using kubernetes::ApiCall;
using kubernetes::ApiClient;
using kubernetes::Json;
using kubernetes::Watch;
using net::steady_now;

// A busy Agones answers a request after tens of seconds.
constexpr std::chrono::seconds allocation_limit{30};
constexpr std::chrono::seconds call_limit{10};
constexpr std::chrono::seconds late_servers{2};  // how long to look for late servers at the end

class AgonesRunner final : public GameRunner {
 public:
  AgonesRunner(asio::io_context& context, const RunnerOptions& options, const FleetOptions& fleet)
      : context_(context),
        state_(state_folder_of(options)),
        upgrade_(options.upgrade),
        kubeconfig_(options.kubernetes.kubeconfig),
        space_(options.kubernetes.name_space),
        owner_{options.cluster, options.worker.text()},
        free_(options.fleets),
        rooms_(fleet),
        timer_(context),
        rest_(context) {
    set_traits({.state_folder = state_.path(), .is_elsewhere = true});
  }
  ~AgonesRunner() override { end_all(); }
  AgonesRunner(const AgonesRunner&) = delete;
  AgonesRunner& operator=(const AgonesRunner&) = delete;

  std::string open() override {
    if (auto refused = state_.take(upgrade_); !refused.empty()) return refused;
    auto access = kubernetes::find_access(kubeconfig_);
    if (auto* const why = std::get_if<std::string>(&access)) return std::move(*why);
    access_ = std::move(std::get<kubernetes::Access>(access));
    if (space_.empty()) space_ = access_.space.empty() ? "default" : access_.space;
    auto made = ApiClient::make(context_, access_);
    if (auto* const why = std::get_if<std::string>(&made)) return std::move(*why);
    client_ = std::move(std::get<0>(made));
    watch_servers();
    watch_fleets();
    return {};
  }

  void adopt(RoomNumber room, const Launch& launch, Handlers handlers) override {
    add(room, launch, std::move(handlers), true);
    if (launch.object.empty()) return perform(FleetEnded{room, {.how = "its server is gone"}});
    const bool was_told = !launch.place.ports.empty();
    step([&](FleetRooms& rooms, FleetActions& out) {
      rooms.adopt(room, launch.object, was_told ? std::optional{launch.place} : std::nullopt,
                  steady_now(), out);
    });
  }
  void end_others() override {
    step([](FleetRooms& rooms, FleetActions& out) { rooms.end_others(steady_now(), out); });
  }

  void start(RoomNumber room, const Launch& launch, Handlers handlers) override {
    add(room, launch, std::move(handlers), false);
    if (launch.object.empty() || launch.fleets.empty()) {
      return perform(
          FleetEnded{room, {.kind = GameEnd::Kind::not_started, .how = "it has no fleet"}});
    }
    step([&](FleetRooms& rooms, FleetActions& out) {
      rooms.start(room, launch.object, steady_now(), out);
    });
  }
  void ask_to_end(RoomNumber room) override { kill(room); }
  void kill(RoomNumber room) override {
    const auto game = games_.find(room);
    if (game == games_.end()) return;
    step([&](FleetRooms& rooms, FleetActions& out) {
      rooms.end(game->second.launch.object, steady_now(), out);
    });
  }

  [[nodiscard]] std::size_t running() const override { return games_.size(); }
  [[nodiscard]] std::size_t waiting() const override { return rooms_.waiting(); }
  [[nodiscard]] std::optional<std::uint32_t> places() const override {
    if (!away_.empty()) return 0;
    const auto free = free_.count(steady_now());
    if (!free) return free;
    // Each room without a server will take one of the free servers.
    const auto wait = std::count_if(games_.begin(), games_.end(),
                                    [](const auto& each) { return !each.second.placed; });
    return *free - std::min(*free, static_cast<std::uint32_t>(wait));
  }
  [[nodiscard]] std::string why_no_places() const override {
    const std::string away = problem_of({});
    return away.empty() ? free_.why_none(steady_now()) : away;
  }
  [[nodiscard]] std::string problem_of(const std::vector<std::string>&) const override {
    return away_.empty() ? "" : "servers of fleets are not seen: " + away_;
  }

  void leave() override {
    std::set<std::string> going;
    for (const auto& [room, game] : games_) {
      if (game.launch.alone <= std::chrono::milliseconds{0}) going.insert(game.launch.object);
    }
    if (!close() || going.empty()) return;
    release_all([&](const FleetServer& server) { return going.contains(server.room); });
  }
  void stop() override { end_all(); }

 private:
  struct Game {
    Launch launch;
    Handlers handlers;
    bool adopted = false;
    bool placed = false;
  };

  void add(RoomNumber room, const Launch& launch, Handlers handlers, bool adopted) {
    const bool fresh =
        games_.emplace(room, Game{launch, std::move(handlers), adopted, false}).second;
    FIXKEEP_ASSERT(fresh, std::to_string(room.number()));
    objects_[launch.object] = room;
  }
  Handlers* handlers_of(RoomNumber room) {
    const auto game = games_.find(room);
    return game == games_.end() ? nullptr : &game->second.handlers;
  }

  // --- the machine (FleetRooms)

  template <class Event>
  void step(Event event) {
    if (!client_) return;
    FleetActions actions;
    event(rooms_, actions);
    for (FleetAction& action : actions) {
      if (!client_) return;
      std::visit([this](auto& wanted) { this->perform(std::move(wanted)); }, action);
    }
    look_later();
  }
  void look_later() {
    const TimePoint next = client_ ? rooms_.next_tick() : TimePoint::max();
    if (next == TimePoint::max()) return;
    timer_.expires_at(net::to_steady(next));
    timer_.async_wait([this, known = std::weak_ptr{alive_}](boost::system::error_code error) {
      if (error || known.expired()) return;
      step([](FleetRooms& rooms, FleetActions& out) { rooms.pass_time(steady_now(), out); });
    });
  }

  void perform(AskForServer&& wanted) {
    const Launch& launch = games_.at(objects_.at(wanted.object)).launch;
    const auto call = allocation(space_, owner_,
                                 {.object = wanted.object,
                                  .attempt = wanted.attempt,
                                  .fleets = launch.fleets,
                                  .environment = launch.game.environment});
    ++asking_;
    client_->ask(
        call, allocation_limit,
        [this, call, object = wanted.object, fleets = launch.fleets](const ApiAnswer& answer) {
          --asking_;
          AskAnswer read = read_allocation(call, answer);
          if (read.kind == AskAnswer::Kind::none) {
            are_empty(fleets);
            if (auto why = free_.missing(fleets); !why.empty()) read.why = std::move(why);
          }
          if (read.kind != AskAnswer::Kind::given) {
            complaints_.tell("a fleet gave no server", object, read.why);
          }
          step([&](FleetRooms& rooms, FleetActions& out) {
            rooms.answered(object, read, steady_now(), out);
          });
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
      step([&](FleetRooms& rooms, FleetActions& out) {
        rooms.freed(server.uid, read, steady_now(), out);
      });
    });
  }
  void perform(LookForServer&& wanted) {
    ApiCall call{.target = servers_in(space_).collection() +
                           kubernetes::query({{"labelSelector", selector_of_room(wanted.object)}})};
    client_->ask(std::move(call), call_limit,
                 [this, object = wanted.object](const ApiAnswer& answer) {
                   step([&](FleetRooms& rooms, FleetActions& out) {
                     rooms.looked(object, has_objects(answer), steady_now(), out);
                   });
                 });
  }

  void perform(FleetPlaced&& told) {
    const auto game = games_.find(told.room);
    if (game == games_.end()) return;
    // The room no longer waits for a place.
    if (!std::exchange(game->second.placed, true)) places_changed();
    const bool is_adopted = game->second.adopted;
    const Handlers handlers = game->second.handlers;
    if (handlers.placed) handlers.placed(told.place);
    if (is_adopted && handlers.ready) handlers.ready();
  }
  void perform(FleetBegun&& told) {
    const auto* const handlers = handlers_of(told.room);
    if (handlers == nullptr) return;
    if (handlers->begun) handlers->begun();
    if (handlers->ready) handlers->ready();
  }
  void perform(FleetClosing&& told) {
    const auto* const handlers = handlers_of(told.room);
    if (handlers != nullptr && handlers->closing) handlers->closing(told.why);
  }
  void perform(FleetCounted&& told) {
    const auto* const handlers = handlers_of(told.room);
    if (handlers != nullptr && handlers->counted) handlers->counted(told.players);
  }
  // Posts the end, so that no handler is called from within a call of the runner.
  void perform(FleetEnded&& told) {
    asio::post(context_, [this, known = std::weak_ptr{alive_}, told = std::move(told)] {
      if (known.expired()) return;
      const auto game = games_.extract(told.room);
      if (game.empty()) return;
      objects_.erase(game.mapped().launch.object);
      if (!game.mapped().placed) places_changed();
      if (game.mapped().handlers.ended) game.mapped().handlers.ended(told.end);
    });
  }

  // --- the watches
  void watch_servers() {
    servers_ = std::make_unique<Watch>(
        context_, *client_,
        kubernetes::ReflectorOptions{.resource = servers_in(space_), .labels = selector_of(owner_)},
        Watch::Handlers{.listed = [this](const std::vector<Json>& all) { listed(all); },
                        .changed = [this](const Json& object) { changed(object); },
                        .removed = [this](const Json& object) { removed(object); },
                        .away = [this](const std::string& why) { is_away(why); },
                        .back = [this] { is_back(); }});
    servers_->begin();
  }
  void listed(const std::vector<Json>& all) {
    std::vector<FleetServer> servers;
    for (const Json& each : all) {
      if (auto server = read_server(each)) servers.push_back(*std::move(server));
    }
    step([&](FleetRooms& rooms, FleetActions& out) { rooms.listed(servers, steady_now(), out); });
  }
  void changed(const Json& object) {
    const auto server = read_server(object);
    if (!server) return removed(object);
    step([&](FleetRooms& rooms, FleetActions& out) { rooms.changed(*server, steady_now(), out); });
  }
  void removed(const Json& object) {
    const auto uid = kubernetes::text_at(kubernetes::at(object, "metadata"), "uid");
    step([&](FleetRooms& rooms, FleetActions& out) { rooms.gone(uid, steady_now(), out); });
  }
  void is_away(const std::string& why) {
    away_ = why.empty() ? "the API server does not answer" : why;
    rooms_.cut_off();
    obs::log_error("servers of fleets are not seen, so no room can start", {{"reason", away_}});
    places_changed();
  }
  void is_back() {
    away_.clear();
    obs::log_info("servers of fleets are seen again", {});
    step([](FleetRooms& rooms, FleetActions& out) { rooms.goes_on(steady_now(), out); });
    places_changed();
  }

  // Follows the number of free servers. No room depends on this watch.
  void watch_fleets() {
    fleets_ = std::make_unique<Watch>(
        context_, *client_, kubernetes::ReflectorOptions{.resource = fleets_in(space_)},
        Watch::Handlers{.listed =
                            [this](const std::vector<Json>& all) {
                              free_.listed();
                              for (const Json& each : all)
                                free_.shown(name_of(each), ready_servers(each));
                              places_changed();
                            },
                        .changed =
                            [this](const Json& fleet) {
                              free_.shown(name_of(fleet), ready_servers(fleet));
                              places_changed();
                            },
                        .removed =
                            [this](const Json& fleet) {
                              free_.gone(name_of(fleet));
                              places_changed();
                            },
                        .away =
                            [](const std::string& why) {
                              obs::log_warning("how many servers of fleets are free is not known",
                                               {{"reason", why}});
                            },
                        .back = [] {}});
    fleets_->begin();
  }
  static std::string name_of(const Json& object) {
    return kubernetes::text_at(kubernetes::at(object, "metadata"), "name");
  }
  void are_empty(const std::vector<std::string>& fleets) {
    free_.refused(fleets, steady_now());
    places_changed();
    rest_.expires_after(FreeServers::rest);
    rest_.async_wait([this, known = std::weak_ptr{alive_}](boost::system::error_code error) {
      if (!error && !known.expired()) places_changed();
    });
  }

  // --- the end After close(), no handler is called. Returns false if the runner was already
  // closed.
  bool close() {
    alive_.reset();
    games_.clear();
    servers_.reset();
    fleets_.reset();
    return std::exchange(client_, nullptr) != nullptr;
  }
  void release_all(std::function<bool(const FleetServer&)> is_to_go) {
    const auto left = release_and_wait(
        access_, {.space = space_,
                  .owner = owner_,
                  .is_to_go = std::move(is_to_go),
                  .look_for = asking_ > 0 ? late_servers : std::chrono::seconds{0}});
    if (left == 0) return;
    obs::log_error("servers could not be released; the next run of the worker does it",
                   {{"servers", left}});
  }
  void end_all() {
    const bool had_games = !games_.empty() || rooms_.any();
    if (!close() || !had_games) return;
    release_all([this](const FleetServer& server) { return !rooms_.is_lost(server); });
  }

  asio::io_context& context_;
  StateFolder state_;
  bool upgrade_;
  std::string kubeconfig_;
  std::string space_;
  FleetOwner owner_;
  kubernetes::Access access_;
  FreeServers free_;
  FleetRooms rooms_;
  std::map<RoomNumber, Game> games_;
  std::map<std::string, RoomNumber> objects_;  // objects of rooms that have not ended
  std::unique_ptr<ApiClient> client_;          // null: closed
  std::unique_ptr<Watch> servers_;
  std::unique_ptr<Watch> fleets_;
  asio::steady_timer timer_;
  asio::steady_timer rest_;
  std::size_t asking_ = 0;
  std::string away_;  // why servers are not seen; empty: they are seen
  Complaints complaints_{"object"};
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace

std::shared_ptr<GameRunner> make_agones_runner(asio::io_context& context,
                                               const RunnerOptions& options) {
  return make_agones_runner_with(context, options, {});
}

std::shared_ptr<GameRunner> make_agones_runner_with(asio::io_context& context,
                                                    const RunnerOptions& options,
                                                    const FleetOptions& fleet) {
  return std::make_shared<AgonesRunner>(context, options, fleet);
}

}  // namespace fixkeep::worker
