#include "worker/shell/server.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <charconv>
#include <deque>
#include <map>
#include <utility>

#include "common/auth/seat_token.hpp"
#include "common/base/assert.hpp"
#include "common/net/http_server.hpp"
#include "common/net/link.hpp"
#include "common/obs/log.hpp"
#include "worker/process/launcher.hpp"
#include "worker/shell/game.hpp"
#include "worker/shell/game_environment.hpp"
#include "worker/shell/status_page.hpp"

namespace fixkeep::worker {
namespace {

using SteadyClock = std::chrono::steady_clock;

TimePoint steady_now() {
  return TimePoint{std::chrono::duration_cast<Duration>(SteadyClock::now().time_since_epoch())};
}

// "m3" as the link layer names a master. The handshake admits configured names only.
MasterId master_of(const net::Node& node) {
  std::uint16_t number = 0;
  std::from_chars(node.name.data() + 1, node.name.data() + node.name.size(), number);
  return MasterId{number};
}

}  // namespace

class Server::Impl : public std::enable_shared_from_this<Server::Impl> {
 public:
  Impl(boost::asio::io_context& context, Settings settings)
      : context_(context),
        settings_(std::move(settings)),
        timer_(context),
        health_timer_(context),
        launcher_(context),
        core_(settings_.core, steady_now()) {}

  bool open(StartFailure& failure) {
    if (settings_.http.port != 0) {
      auto http = net::HttpServer::start(
          context_, settings_.http,
          [this](net::HttpRequest&& request, const net::HttpResponder& responder) {
            responder.answer(status_page(
                request, {core_, links_->counters(), masters_up_, launcher_.running(), stopping_}));
          });
      if (!http) {
        failure = {"cannot listen for HTTP on " + settings_.http.address + ":" +
                       std::to_string(settings_.http.port),
                   http.error()};
        return false;
      }
      http_ = std::move(*http);
    }
    auto links = net::LinkHub::start(context_, settings_.links, link_handlers());
    if (!links) {
      failure = {"cannot start the links", links.error()};
      return false;
    }
    links_ = std::move(*links);
    for (const MasterAddress& master : settings_.masters) {
      links_->dial(to_string(master.id), master.address.host, master.address.port);
    }
    watch_health();
    return true;
  }

  void stop(std::function<void()> stopped) {
    if (finished_) {
      // A signal that was on its way when the last one was answered: the caller waits again.
      if (stopped) stopped();
      return;
    }
    if (std::exchange(stopping_, true)) {
      obs::log_warning("ending at once", {{"rooms", launcher_.running()}});
      for (const auto& [room, game] : games_) launcher_.kill(room);
      return;
    }
    on_stopped_ = std::move(stopped);
    obs::log_info("stopping", {{"rooms", launcher_.running()}});
    post(StopAsked{});
  }

  // The owner goes away: no handler may find it any more.
  void abandon() {
    timer_.cancel();
    health_timer_.cancel();
  }

  [[nodiscard]] std::uint16_t http_port() const { return http_ == nullptr ? 0 : http_->port(); }

 private:
  // --- events ------------------------------------------------------------------------------------

  net::LinkHandlers link_handlers() {
    net::LinkHandlers handlers;
    handlers.on_up = [this](const net::Node& node) {
      obs::log_info("link up", {{"peer", node.name}});
      ++masters_up_;
      post(MasterConnected{master_of(node)});
    };
    handlers.on_message = [this](const net::Node& node, wire::Message&& message) {
      post(MasterSaid{.master = master_of(node), .message = std::move(message)});
    };
    handlers.on_down = [this](const net::Node& node, boost::system::error_code why) {
      if (why != Errc::stopping) {
        obs::log_warning("link down", {{"peer", node.name}, {"reason", why.message()}});
      }
      --masters_up_;
      post(MasterDisconnected{master_of(node)});
    };
    handlers.on_refused = [](const std::string& who, boost::system::error_code why) {
      obs::log_warning("link refused", {{"peer", who}, {"reason", why.message()}});
    };
    return handlers;
  }

  void post(Event&& event) {
    inbox_.push_back(std::move(event));
    if (std::exchange(drain_posted_, true)) return;
    boost::asio::post(context_, [self = shared_from_this()] { self->drain(); });
  }

  // Performing an action may post the next event; it is taken into the same batch.
  void drain() {
    drain_posted_ = true;  // nobody needs to post while this runs
    const TimePoint now = steady_now();
    Actions actions;
    while (!inbox_.empty()) {
      core_.step(std::exchange(inbox_.front(), TimePassed{}), now, actions);
      inbox_.pop_front();
      perform(actions);
    }
    core_.step(BatchEnded{}, now, actions);
    perform(actions);
    drain_posted_ = false;
    if (stopped_) {
      finish();
    } else {
      arm_timer();
    }
  }

  void arm_timer() {
    const TimePoint next = core_.next_tick();
    if (next == armed_for_) return;
    armed_for_ = next;
    if (next == TimePoint::max()) {
      timer_.cancel();
      return;
    }
    timer_.expires_at(SteadyClock::time_point{
        std::chrono::duration_cast<SteadyClock::duration>(next.time_since_epoch())});
    timer_.async_wait([self = shared_from_this()](boost::system::error_code error) {
      if (error) return;
      self->armed_for_ = TimePoint::max();
      self->post(TimePassed{});
    });
  }

  // --- actions -----------------------------------------------------------------------------------

  void perform(Actions& actions) {
    for (Action& action : actions) {
      std::visit([this](auto& which) { act(which); }, action);
    }
    actions.clear();
  }

  void act(const SendToMaster& action) {
    // Without a link the message is void, and MasterDisconnected is on its way.
    (void)links_->send(net::Role::master, to_string(action.master), action.message);
  }

  void act(const CloseMasterLink& action) {
    links_->close(net::Role::master, to_string(action.master), Errc::unexpected_message);
  }

  void act(const StartProcess& action) {
    const RoomNumber number = action.room;
    const RoomId id{settings_.core.self, settings_.core.incarnation, number};
    auto sdk = RoomSdk::start(context_,
                              {.room = to_string(id),
                               .address = settings_.core.address,
                               .port = action.port,
                               .capacity = action.capacity,
                               .group = action.group.text(),
                               .mode = action.mode.text()},
                              sdk_handlers(number));
    if (!sdk) {
      post(ProcessExited{number, "cannot listen for its SDK: " + sdk.error().message()});
      return;
    }
    const GamePlace place{
        .room = id,
        .seat_key = auth::to_text(auth::derive_room_key(settings_.links.secret, id)),
        .sdk_port = (*sdk)->port()};
    games_[number].sdk = std::move(*sdk);
    obs::log_info("room starting", {{"room", place.room.number.number()},
                                    {"group", action.group.text()},
                                    {"port", action.port},
                                    {"creation", to_string(action.creation)}});
    launcher_.start(number, launch_of(command_of(action.mode), action, place),
                    [this, number](const std::string& how) {
                      obs::log_info("game ended", {{"room", number.number()}, {"how", how}});
                      games_.erase(number);
                      post(ProcessExited{number, how});
                    });
  }

  void act(const SignalProcess& action) {
    obs::log_info("room closing", {{"room", action.room.number()}});
    launcher_.ask_to_end(action.room);
  }

  void act(const KillProcess& action) {
    obs::log_warning("game killed", {{"room", action.room.number()}});
    launcher_.kill(action.room);
  }

  void act(const AdmitPlayer& action) {
    const auto question = questions_.extract(action.question);
    if (!question.empty()) question.mapped()(action.admitted);
  }

  void act(const StoppedEmpty&) { stopped_ = true; }

  // --- games -------------------------------------------------------------------------------------

  const GameCommand& command_of(const ModeName& mode) const {
    for (const GameCommand& command : settings_.commands) {
      if (command.mode == mode) return command;
    }
    assertion_failed("a command for every mode", __FILE__, __LINE__, mode.text());
  }

  RoomSdkHandlers sdk_handlers(RoomNumber number) {
    RoomSdkHandlers handlers;
    handlers.ready = [this, number] {
      obs::log_info("room open", {{"room", number.number()}});
      post(ProcessReady{number});
    };
    handlers.health = [this, number] {
      const auto game = games_.find(number);
      if (game != games_.end()) game->second.last_health = SteadyClock::now();
    };
    handlers.shutdown = [this, number] { post(ShutdownAsked{number}); };
    handlers.connect = [this, number](const PlayerId& player, std::function<void(bool)> answer) {
      questions_.emplace(++last_question_, std::move(answer));
      post(PlayerArrived{.room = number, .player = player, .question = last_question_});
    };
    handlers.disconnect = [this, number](const PlayerId& player) {
      post(PlayerLeft{.room = number, .player = player});
    };
    return handlers;
  }

  void watch_health() {
    health_timer_.expires_after(health_period);
    health_timer_.async_wait([self = shared_from_this()](boost::system::error_code error) {
      // After the end the look that was due already still comes, and would ask for the next one.
      if (error || self->finished_) return;
      self->look_for_silence();
      self->watch_health();
    });
  }

  void look_for_silence() {
    const auto now = SteadyClock::now();
    for (auto& [room, game] : games_) {
      if (!game.last_health || now - *game.last_health < health_limit) continue;
      obs::log_warning("game has fallen silent", {{"room", room.number()}});
      game.last_health.reset();  // once is enough
      post(HealthLost{room});
    }
  }

  // Everything is closed and told; what the links still hold goes out within the limit.
  void finish() {
    if (std::exchange(finished_, true)) return;
    abandon();
    links_->stop(std::chrono::milliseconds{500});
    if (http_ != nullptr) http_->close();
    if (on_stopped_) on_stopped_();
  }

  boost::asio::io_context& context_;
  Settings settings_;
  boost::asio::steady_timer timer_;
  boost::asio::steady_timer health_timer_;
  Launcher launcher_;
  RoomHost core_;
  std::unique_ptr<net::LinkHub> links_;
  std::unique_ptr<net::HttpServer> http_;
  std::deque<Event> inbox_;
  bool drain_posted_ = false;
  TimePoint armed_for_ = TimePoint::max();
  std::map<RoomNumber, Game> games_;
  std::map<std::uint64_t, std::function<void(bool)>> questions_;
  std::uint64_t last_question_ = 0;
  std::size_t masters_up_ = 0;
  std::function<void()> on_stopped_;
  bool stopping_ = false;
  bool stopped_ = false;
  bool finished_ = false;
};

std::unique_ptr<Server> Server::start(boost::asio::io_context& context, Settings settings,
                                      StartFailure& failure) {
  auto impl = std::make_shared<Impl>(context, std::move(settings));
  if (!impl->open(failure)) return nullptr;
  return std::unique_ptr<Server>{new Server{std::move(impl)}};
}

Server::Server(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() {
  impl_->abandon();
}
void Server::stop(std::function<void()> stopped) {
  impl_->stop(std::move(stopped));
}
std::uint16_t Server::http_port() const {
  return impl_->http_port();
}

}  // namespace fixkeep::worker
