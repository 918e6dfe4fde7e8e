#include "worker/shell/server.hpp"

#include <boost/asio/steady_timer.hpp>
#include <map>
#include <optional>
#include <utility>

#include "common/auth/seat_token.hpp"
#include "common/base/assert.hpp"
#include "common/net/http/server.hpp"
#include "common/net/link/hub.hpp"
#include "common/net/link/troubles.hpp"
#include "common/node/events_page.hpp"
#include "common/node/node_shell.hpp"
#include "common/obs/log.hpp"
#include "common/process/self.hpp"
#include "worker/backend/backends.hpp"
#include "worker/probe/socket_owner.hpp"
#include "worker/sdk/room_sdk.hpp"
#include "worker/shell/descriptors.hpp"
#include "worker/shell/game_environment.hpp"
#include "worker/shell/game_probes.hpp"
#include "worker/shell/room_log.hpp"
#include "worker/shell/room_prober.hpp"
#include "worker/shell/status_page.hpp"

namespace fixkeep::worker {
namespace {

// Of a protocol that cannot be tried we know nothing, and the game will see.
bool nobody_has(std::uint16_t port) {
  for (const auto protocol : {probe::Protocol::tcp, probe::Protocol::udp}) {
    const auto taken = probe::port_is_taken(protocol, port);
    if (taken && *taken) return false;
  }
  return true;
}

RoomHostOptions on_this_machine(RoomHostOptions options) {
  options.port_is_usable = nobody_has;
  return options;
}

}  // namespace

class Server::Impl : public std::enable_shared_from_this<Server::Impl> {
 public:
  Impl(boost::asio::io_context& context, Settings settings)
      : context_(context),
        settings_(std::move(settings)),
        backend_(make_backend(settings_.backend, context,
                              {.cluster = settings_.links.cluster,
                               .worker = settings_.core.self,
                               .state_folder = settings_.state_folder,
                               .output = settings_.output})),
        room_log_(settings_.core),
        core_(on_this_machine(settings_.core), net::steady_now()),
        shell_(context, core_, *this),
        journal_(settings_.core.self.text(), settings_.events_kept),
        troubles_(settings_.links.known_masters) {
    FIXKEEP_ASSERT(backend_ != nullptr, settings_.backend);
  }

  bool open(node::StartFailure& failure) {
    if (auto refused = backend_->open(); !refused.empty()) {
      failure = {std::move(refused), {}};
      return false;
    }
    if (settings_.http.port != 0) {
      auto http = net::HttpServer::start(
          context_, settings_.http,
          [this](net::HttpRequest&& request, const net::HttpResponder& responder) {
            responder.answer(status_page(request, {core_,
                                                   links_->counters(),
                                                   journal_,
                                                   masters_up_,
                                                   backend_->running(),
                                                   stopping_,
                                                   backend_.get(),
                                                   {},
                                                   {}}));
          });
      if (!http) {
        failure = {"cannot listen for HTTP on " + settings_.http.address + ":" +
                       std::to_string(settings_.http.port),
                   http.error()};
        return false;
      }
      http_ = std::move(*http);
    }
    auto sdk = TransportHost::start(context_);
    if (!sdk) {
      failure = {"cannot start gRPC for the SDK of the rooms", sdk.error()};
      return false;
    }
    sdk_.emplace(std::move(*sdk));
    auto links = net::LinkHub::start(context_, settings_.links, link_handlers());
    if (!links) {
      failure = {"cannot start the links", links.error()};
      return false;
    }
    links_ = std::move(*links);
    for (const MasterAddress& master : settings_.masters) {
      links_->dial(to_string(master.id), master.address.host, master.address.port);
    }
    tell_about_games();
    return true;
  }

  void stop(std::function<void()> stopped) {
    if (finished_) {
      // A signal was on its way when the last one was answered: the caller waits again.
      if (stopped) stopped();
      return;
    }
    if (std::exchange(stopping_, true)) {
      obs::log_warning("ending at once", {{"rooms", backend_->running()}});
      for (const auto& [room, game] : games_) backend_->kill(room);
      return;
    }
    on_stopped_ = std::move(stopped);
    obs::log_info("stopping", {{"rooms", backend_->running()}});
    shell_.post(StopAsked{});
  }

  // The owner goes away: no handler may find it any more.
  void abandon() { shell_.stop_timer(); }

  [[nodiscard]] std::uint16_t http_port() const { return http_ == nullptr ? 0 : http_->port(); }

  // --- for the shell

  void batch_begins() {}
  void batch_ended(TimePoint now) {
    shell_.step(BatchEnded{}, now);
    node::note(journal_, core_);
    if (stopped_) finish();
  }

  void perform(const SendToMaster& action) {
    // Without that link the message is void, and MasterDisconnected is on its way.
    const auto name = to_string(action.master);
    (void)links_->send(net::Role::master, name, shell_.links().of(net::Role::master, name),
                       action.message);
  }

  void perform(const CloseMasterLink& action) {
    const auto name = to_string(action.master);
    links_->close(net::Role::master, name, shell_.links().of(net::Role::master, name),
                  Errc::unexpected_message);
  }

  void perform(const StartProcess& action) {
    const RoomNumber number = action.room;
    const RoomId id{settings_.core.self, settings_.core.incarnation, number};
    auto listeners = open_room_listeners();
    if (!listeners) {
      const auto error = listeners.error().message();
      obs::log_warning(
          "room cannot start",
          {{"room", number.number()}, {"reason", "cannot listen for its SDK"}, {"error", error}});
      shell_.post(ProcessExited{number, "cannot listen for its SDK: " + error});
      return;
    }
    auto& sdk = games_[number].sdk;
    sdk = std::make_unique<RoomSdk>(*sdk_, facts_of(id, action), room_handlers(number),
                                    std::move(*listeners), from_the_room(number));
    const GamePlace place{
        .room = id,
        .zone = settings_.core.zone.text(),
        .address = settings_.core.address,
        .folder = backend_->folder_of(to_string(id)),
        .seat_key = auth::to_text(auth::derive_room_key(settings_.links.secret, id)),
        .sdk = sdk->variables()};
    const GameDescription& game = game_of(action.mode);
    room_log_.starting(action);
    const auto ended = [this, number](const GameEnd& end) {
      games_.erase(number);
      shell_.post(ProcessExited{number, end.how});
      room_log_.ended(number, end, net::steady_now());
    };
    Launch launch = launch_of(game, action, place);
    launch.follow = reads_lines_while_booting(game.probes);
    backend_->start(number, launch,
                    {.ended = ended, .wrote = [this, number](const std::string& text) {
                       if (RoomProber* const prober = prober_of(number)) prober->wrote(text);
                     }});
    games_[number].prober =
        std::make_unique<RoomProber>(context_, backend_, game, action,
                                     values_of(game, action, place), prober_handlers(number, game));
  }

  void perform(const RoomGiven& action) {
    room_log_.given(action);
    const auto game = games_.find(action.room);
    if (game != games_.end()) game->second.sdk->session().given(action.group.text());
  }

  void perform(const NeverWarm& action) { RoomLog::never_warm(action.mode); }

  void perform(const SignalProcess& action) {
    room_log_.closing(action.room, action.reason, action.why);
    stop_asking(action.room);
    backend_->ask_to_end(action.room);
  }

  void perform(const KillProcess& action) {
    if (action.silence) {
      room_log_.silent(action.room, *action.silence);
      const auto silent = games_.find(action.room);
      if (silent != games_.end()) silent->second.sdk->session().unhealthy();
    }
    RoomProber* const prober = prober_of(action.room);
    room_log_.killed(action.room, action.reason,
                     prober == nullptr ? std::string{} : prober->why_not_ready());
    stop_asking(action.room);
    backend_->kill(action.room);
  }

  void perform(const AdmitPlayer& action) {
    const auto question = questions_.extract(action.question);
    if (!question.empty()) question.mapped()(action.admitted);
  }

  void perform(const StoppedEmpty&) { stopped_ = true; }

 private:
  // --- events ------------------------------------------------------------------------------------

  net::LinkHandlers link_handlers() {
    net::LinkHandlers handlers;
    handlers.on_up = [this](const net::Peer& peer) {
      troubles_.up(peer, net::steady_now());
      ++masters_up_;
      shell_.post(MasterConnected{net::master_of(peer)}, node::came_up(peer));
    };
    handlers.on_message = [this](const net::Peer& peer, wire::Message&& message) {
      shell_.post(MasterSaid{.master = net::master_of(peer), .message = std::move(message)});
    };
    handlers.on_down = [this](const net::Peer& peer, boost::system::error_code why) {
      troubles_.down(peer, why);
      --masters_up_;
      shell_.post(MasterDisconnected{net::master_of(peer)}, node::went_down(peer));
    };
    handlers.on_refused = [this](const net::LinkFailure& failure) {
      troubles_.refused(failure, net::steady_now());
    };
    handlers.on_unreachable = [this](const net::LinkFailure& failure) {
      troubles_.unreachable(failure, net::steady_now());
    };
    return handlers;
  }

  // --- games -------------------------------------------------------------------------------------

  const GameDescription& game_of(const ModeName& mode) const {
    for (const GameDescription& game : settings_.games) {
      if (game.mode == mode) return game;
    }
    assertion_failed("a game for every mode", __FILE__, __LINE__, mode.text());
  }

  [[nodiscard]] SessionFacts facts_of(const RoomId& room, const StartProcess& order) const {
    const GameDescription& game = game_of(order.mode);
    return {.room = to_string(room),
            .address = settings_.core.address,
            .port = order.port,
            .capacity = order.capacity,
            .group = wire::told_group(order.group),
            .mode = order.mode.text(),
            .health_period =
                std::chrono::duration_cast<std::chrono::seconds>(settings_.core.health_period),
            .health_failures = settings_.core.health_failures,
            .health_initial_delay =
                std::chrono::duration_cast<std::chrono::seconds>(settings_.core.health_period),
            .created = {},
            .counters = game.counters,
            .lists = game.lists};
  }

  RoomHandlers room_handlers(RoomNumber number) {
    RoomHandlers handlers;
    handlers.ready = [this, number] {
      if (RoomProber* const prober = prober_of(number)) prober->said_ready();
    };
    handlers.health = [this, number] { shell_.post(GameHealthy{number}); };
    handlers.shutdown = [this, number] { shell_.post(ShutdownAsked{number}); };
    handlers.connect = [this, number](const PlayerId& player, std::function<void(bool)> answer) {
      questions_.emplace(++last_question_, std::move(answer));
      shell_.post(PlayerArrived{.room = number, .player = player, .question = last_question_});
    };
    handlers.disconnect = [this, number](const PlayerId& player) {
      shell_.post(PlayerLeft{.room = number, .player = player});
    };
    return handlers;
  }

  // Only processes of the room may use its SDK.
  FromTheRoom from_the_room(RoomNumber room) const {
    return [known = std::weak_ptr{backend_}, room](int socket) {
      const auto backend = known.lock();
      return backend != nullptr && probe::connection_is_of(socket, backend->processes(room));
    };
  }

  RoomProber* prober_of(RoomNumber room) {
    const auto found = games_.find(room);
    return found == games_.end() ? nullptr : found->second.prober.get();
  }
  void stop_asking(RoomNumber room) {
    const auto found = games_.find(room);
    if (found != games_.end()) found->second.prober.reset();
  }

  probe::ProberHandlers prober_handlers(RoomNumber number, const GameDescription& game) {
    return {.ready =
                [this, number, goes_on = reads_lines_for_good(game.probes)] {
                  room_log_.ready(number);
                  if (!goes_on) backend_->follow(number, false);
                  shell_.post(ProcessReady{number});
                },
            .unhealthy =
                [this, number](const std::string& why) {
                  shell_.post(GameUnhealthy{number, why});
                },
            .players =
                [this, number](const probe::PlayerCount& count) {
                  shell_.post(PlayersCounted{number, count.players});
                },
            .players_unknown =
                [this, number](const std::string& why) {
                  room_log_.players_unknown(number, why);
                  shell_.post(PlayersUnknown{number});
                }};
  }

  void tell_about_games() const {
    for (const GameDescription& game : settings_.games) {
      if (game.command.front().find('{') != std::string::npos) continue;  // not known yet
      const auto problem = backend_->problem_of(game.command);
      if (problem.empty()) continue;
      // Not fatal: other modes may be fine, and the program may be on its way to this machine.
      obs::log_error(
          "no room of this mode can start: its program cannot be executed",
          {{"mode", game.mode.text()}, {"program", game.command.front()}, {"reason", problem}});
    }
    const auto folder = backend_->output_folder();
    if (!folder.empty()) obs::log_info("output of games is kept", {{"folder", folder}});
  }

  // Everything is closed and told; what the links still hold goes out within the limit.
  void finish() {
    if (std::exchange(finished_, true)) return;
    abandon();
    links_->stop(std::chrono::milliseconds{500});
    if (http_ != nullptr) http_->close();
    backend_->stop();
    if (on_stopped_) on_stopped_();
  }

  boost::asio::io_context& context_;
  Settings settings_;
  std::shared_ptr<Backend> backend_;
  RoomLog room_log_;
  RoomHost core_;
  node::NodeShell<RoomHost, Impl> shell_;
  events::Journal journal_;
  std::unique_ptr<net::LinkHub> links_;
  std::unique_ptr<net::HttpServer> http_;
  net::LinkTroubles troubles_;
  std::optional<TransportHost> sdk_;
  struct RunningGame {
    std::unique_ptr<RoomSdk> sdk;
    std::unique_ptr<RoomProber> prober;  // null once the room closes
  };
  std::map<RoomNumber, RunningGame> games_;
  std::map<std::uint64_t, std::function<void(bool)>> questions_;
  std::uint64_t last_question_ = 0;
  std::size_t masters_up_ = 0;
  std::function<void()> on_stopped_;
  bool stopping_ = false;
  bool stopped_ = false;
  bool finished_ = false;
};

std::unique_ptr<Server> Server::start(boost::asio::io_context& context, Settings settings,
                                      node::StartFailure& failure) {
  const auto too_few = fit_descriptors(settings, process::raise_descriptor_limit());
  if (!too_few.empty()) {
    failure = {too_few, make_error_code(boost::system::errc::too_many_files_open)};
    return nullptr;
  }
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
