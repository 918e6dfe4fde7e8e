#include "worker/shell/server.hpp"

#include <optional>
#include <utility>

#include "common/base/assert.hpp"
#include "common/net/http/operators.hpp"
#include "common/net/link/hub_thread.hpp"
#include "common/net/link/troubles.hpp"
#include "common/node/events_page.hpp"
#include "common/node/node_shell.hpp"
#include "common/obs/log.hpp"
#include "common/process/self.hpp"
#include "common/wire/limits.hpp"
#include "common/wire/operator_calls.hpp"
#include "worker/ping/ping_responder.hpp"
#include "worker/runner/runners.hpp"
#include "worker/shell/descriptors.hpp"
#include "worker/shell/games.hpp"
#include "worker/shell/journal_keeper.hpp"
#include "worker/shell/link_handlers.hpp"
#include "worker/shell/order_log.hpp"
#include "worker/shell/status_page.hpp"

namespace fixkeep::worker {
namespace {

wire::AnswerForm form_of(std::string_view content_type) {
  if (content_type.starts_with("text/plain")) return wire::AnswerForm::text;
  return content_type == "application/json" ? wire::AnswerForm::json : wire::AnswerForm::problem;
}

// Answers an operator's call that came through a master. Only calls that change rooms or read a
// game's output are accepted. The worker's setting admin.through_masters allows or forbids these
// calls. Errors: 403 worker-forbids; see also status_page.hpp.
wire::OperatorAnswer answer_through_master(const wire::OperatorCall& call, StatusSource source,
                                           bool allowed) {
  auto answer =
      allowed
          ? operator_call(call.changes ? "POST" : "GET", call.target, call.body, std::move(source))
          : net::problem(403, "worker-forbids", "The worker takes no calls of masters",
                         "ask it itself; its admin.through_masters is false");
  FIXKEEP_ASSERT(answer.body.size() <= wire::limits::call_answer_bytes, call.target);
  return {.request = call.request,
          .status = answer.status,
          .form = form_of(answer.content_type),
          .body = std::move(answer.body)};
}

// The stage of a worker's end. Each further request to end leads to the next stage.
enum class Ending : std::uint8_t {
  no,
  drains,  // waits until its rooms are empty
  closes,  // waits for the games to end
};

Ending next(Ending now, Duration drain) {
  return now == Ending::no && drain > Duration{0} ? Ending::drains : Ending::closes;
}

std::int64_t count_ms(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

}  // namespace

class Server::Impl : public std::enable_shared_from_this<Server::Impl> {
 public:
  // Without `keeper`, no journal is written.
  Impl(boost::asio::io_context& context, Settings settings, std::shared_ptr<GameRunner> runner,
       std::optional<JournalKeeper> keeper)
      : context_(context),
        settings_(std::move(settings)),
        keeper_(std::move(keeper)),
        core_(on_this_machine(), keeper_ ? keeper_->identity().epoch : net::steady_now()),
        shell_(context, core_, *this),
        games_(context, settings_, std::move(runner),
               [this](Event&& event) { shell_.post(std::move(event)); }),
        journal_(settings_.core.self.text(), settings_.events_kept),
        troubles_(settings_.links.known_masters) {}

  bool open(node::StartFailure& failure) {
    if (!games_.open(failure)) return false;
    go_on();
    if (!open_admin(failure) || !open_ping(failure)) return false;
    auto links = net::HubThread::start(context_, settings_.links, link_handlers());
    if (!links) {
      failure = {"cannot start the links", links.error()};
      return false;
    }
    links_ = std::move(*links);
    links_->dial_only(dialled_by(settings_));
    return true;
  }

  void stop(std::function<void()> stopped) {
    if (finished_) {
      // The worker has already stopped. After a later signal, the caller waits for this `stopped`
      // too.
      if (stopped) stopped();
      return;
    }
    const auto rooms = games_.runner().running();
    switch (std::exchange(ending_, next(ending_, settings_.drain))) {
      case Ending::no: on_stopped_ = std::move(stopped); break;
      case Ending::drains: break;
      case Ending::closes:
        obs::log_warning("ending at once", {{"rooms", rooms}});
        games_.kill_all();
        return;
    }
    if (ending_ == Ending::drains) {
      obs::log_info("draining, and ending when no room is left",
                    {{"rooms", rooms}, {"at_most_ms", count_ms(settings_.drain)}});
      shell_.post(DrainAllAsked{.most = settings_.drain, .then_stop = true});
    } else {
      obs::log_info("stopping", {{"rooms", rooms}});
      shell_.post(StopAsked{});
    }
  }

  void leave(std::function<void()> stopped) {
    if (finished_) return;
    if (!keeper_) {
      obs::log_error("goes on: its games would end with it, since rooms.outlive_worker_ms is 0");
      return;
    }
    obs::log_info("ending, and leaving the games to the next run",
                  {{"rooms", games_.runner().running()}});
    on_stopped_ = std::move(stopped);
    shell_.drain();  // stores arrived events in the journal
    games_.leave();
    left_ = true;
    finish();
  }

  // Applies new settings. First, the core handles the events that have arrived, with the old modes.
  // Each room that these events start thus finds its game.
  void take_over(Settings&& read) {
    links_->renew(read.links.tls);
    if (admin_.http != nullptr) net::renew_for_operators(*admin_.http, settings_.admin, read.admin);
    settings_.masters = read.masters;
    links_->know(read.links.known_masters);
    troubles_.know(read.links.known_masters);
    links_->dial_only(dialled_by(settings_));
    shell_.take(ModesChanged{read.core.modes});
    games_.take_over(std::move(read));
  }

  // The owner is being destroyed, so no handler is allowed to use it from now on.
  void abandon() { shell_.stop_timer(); }

  [[nodiscard]] std::uint16_t admin_port() const {
    return admin_.http == nullptr ? 0 : admin_.http->port();
  }

  // --- for the shell

  void batch_begins() {}
  void batch_ended(TimePoint now) {
    end_batch(now);
    if (core_.has_new_results()) {
      core_.results_written(journal_is_whole_, wanted_);
      end_batch(now);
    }
    if (stopped_) finish();
  }

  // Keeps an action until the journal has stored the whole batch. A message to a master goes to the
  // link that the master has now, even if a later event of the batch replaces this link.
  template <class Wanted>
  void perform(Wanted& action) {
    wanted_.emplace_back(std::move(action));
  }
  void perform(SendToMaster& action) {
    for_masters_.push_back({link_of(action.master), std::move(action)});
  }

 private:
  bool open_admin(node::StartFailure& failure) {
    const auto& options = settings_.admin;
    if (options.http.port == 0) return true;
    auto admin = net::start_for_operators(
        context_, options, [this](net::HttpRequest&& request, const net::HttpResponder& responder) {
          responder.answer(status_page(request, status_source()));
        });
    if (!admin) {
      failure = {"cannot listen for operators on " + options.http.address + ":" +
                     std::to_string(options.http.port),
                 admin.error()};
      return false;
    }
    admin_ = std::move(*admin);
    return true;
  }

  bool open_ping(node::StartFailure& failure) {
    const PingOptions options{.port = settings_.core.ping_port};
    if (options.port == 0) return true;
    auto ping = PingResponder::start(options);
    if (!ping) {
      failure = {"cannot listen for players' pings at ping.port " + std::to_string(options.port),
                 ping.error()};
      return false;
    }
    ping_ = std::move(*ping);
    return true;
  }

  [[nodiscard]] StatusSource status_source() {
    return {core_,
            links_->counters(),
            journal_,
            masters_up_,
            games_.runner().running(),
            ending_ != Ending::no,
            journal_is_whole_,
            listeners(),
            games_.runner().traits().outputs,
            post_,
            [this] { return node_facts(); },
            {},
            {},
            {}};
  }

  [[nodiscard]] node::NodeFacts node_facts() const {
    node::NodeFacts facts{.node = settings_.core.self.text(),
                          .role = "worker",
                          .cluster = settings_.links.cluster,
                          .configuration = node::without_what_games_keep(to_json(settings_)),
                          .masters = {},
                          .links = links_->counters(),
                          .listeners = listeners(),
                          .journal_is_whole = journal_is_whole_};
    for (const MasterAddress& master : settings_.masters) {
      const auto name = to_string(master.id);
      const bool up = shell_.links().of(net::Role::master, name) != net::LinkNumber::none;
      facts.masters.push_back({name, up, troubles_.of(name)});
    }
    return facts;
  }

  [[nodiscard]] std::vector<node::ListenerFacts> listeners() const {
    if (admin_.http == nullptr) return {};
    return {node::listener_facts(admin_)};
  }

  void answer_operator(const net::Peer& master, const wire::OperatorCall& call) {
    auto answer = answer_through_master(call, status_source(), settings_.through_masters);
    if (call.changes) {
      obs::log_info("operator's call",
                    {{"through", master.name}, {"call", call.target}, {"status", answer.status}});
    }
    links_->send(master.role, master.name, master.link, std::move(answer));
  }

  [[nodiscard]] RoomHostOptions on_this_machine() const {
    RoomHostOptions options = settings_.core;
    options.starts_queue = true;
    return options;
  }

  // --- actions -----------------------------------------------------------------------------------

  void end_batch(TimePoint now) {
    shell_.step(BatchEnded{}, now);
    node::note(journal_, core_);  // dates the events before they are sent
    perform_all(now);
  }

  void perform_all(TimePoint now) {
    if (left_) {
      for_masters_.clear();
      return wanted_.clear();
    }
    journal_is_whole_ = !keeper_ || keeper_->note(core_, now);
    // Masters get their answers before the first game is prepared, because preparing many games
    // takes a while.
    for (ForMaster& each : std::exchange(for_masters_, {})) send(each.link, each.action);
    if (links_) links_->flush();
    Actions actions = std::exchange(wanted_, {});
    for (const Action& action : actions) {
      std::visit([this](const auto& wanted) { act(wanted); }, action);
    }
    actions.clear();
    wanted_ = std::move(actions);  // reuses the memory
  }

  [[nodiscard]] net::LinkNumber link_of(MasterId master) const {
    return shell_.links().of(net::Role::master, to_string(master));
  }

  void send(net::LinkNumber link, SendToMaster& action) {
    // If the link is gone, the message is dropped, and MasterDisconnected arrives soon.
    if (action.answered) { orders_.answered(*action.answered, action.message, net::steady_now()); }
    links_->send(net::Role::master, to_string(action.master), link, std::move(action.message));
  }
  void act(const SendToMaster&) {}  // sent earlier, by perform_all()

  void act(const auto& action) { games_.perform(action); }
  void act(const StoppedEmpty& done) {
    stopped_ = true;
    if (done.left == 0) return;
    obs::log_error("ending without a report that these games have ended", {{"rooms", done.left}});
  }

  // Continues the rooms of an earlier run before masters can order new rooms.
  void go_on() {
    const TimePoint now = net::steady_now();
    if (keeper_) {
      if (auto recovered = keeper_->take_recovered()) shell_.step(std::move(*recovered), now);
      shell_.step(BatchEnded{}, now);
      keeper_->begin(core_, now);
      perform_all(now);
    }
    games_.end_others();
  }

  // --- events ------------------------------------------------------------------------------------

  net::LinkHandlers link_handlers() {
    return worker::link_handlers(
        {.post =
             [this](Event&& event, std::optional<node::LinkChange> change) {
               shell_.post(std::move(event), std::move(change));
             },
         .close = [this](const net::Peer& peer,
                         Errc why) { links_->close(peer.role, peer.name, peer.link, why); },
         .why_not_told = [this](const ModeName& mode,
                                const GroupKey& group) { return games_.why_not_told(mode, group); },
         .called = [this](const net::Peer& peer,
                          const wire::OperatorCall& call) { answer_operator(peer, call); },
         .troubles = troubles_,
         .masters_up = masters_up_});
  }

  // Everything is closed and reported. The links send their remaining bytes within the time limit.
  void finish() {
    if (std::exchange(finished_, true)) return;
    abandon();
    links_->stop(std::chrono::milliseconds{500});
    if (admin_.http != nullptr) admin_.http->close();
    games_.stop();
    if (on_stopped_) on_stopped_();
  }

  boost::asio::io_context& context_;
  Settings settings_;
  std::optional<JournalKeeper> keeper_;
  RoomHost core_;
  struct ForMaster {
    net::LinkNumber link;
    SendToMaster action;
  };
  std::vector<ForMaster> for_masters_;  // messages of the running batch
  Actions wanted_;                      // the other actions
  node::NodeShell<RoomHost, Impl> shell_;
  Games games_;
  events::Journal journal_;
  std::unique_ptr<net::HubThread> links_;
  net::OperatorsListener admin_;         // null without a configured port
  std::unique_ptr<PingResponder> ping_;  // null without a configured port
  net::LinkTroubles troubles_;
  OrderLog orders_;
  std::size_t masters_up_ = 0;
  std::function<void()> on_stopped_;
  const std::function<void(Event&&)> post_ = [this](Event&& event) {
    shell_.post(std::move(event));
  };
  Ending ending_ = Ending::no;
  bool journal_is_whole_ = true;  // the last batch is stored
  bool stopped_ = false;
  bool left_ = false;  // the next run adopts the games
  bool finished_ = false;
};

std::unique_ptr<Server> Server::start(boost::asio::io_context& context, Settings settings,
                                      node::StartFailure& failure) {
  const auto too_few = fit_descriptors(settings, process::raise_descriptor_limit());
  if (!too_few.empty()) {
    failure = {too_few, make_error_code(boost::system::errc::too_many_files_open)};
    return nullptr;
  }
  std::shared_ptr<GameRunner> runner =
      find_runner(settings.runner)->make(context, runner_options(settings));
  if (auto refused = runner->open(); !refused.empty()) {
    failure = {std::move(refused), {}};
    return nullptr;
  }
  const auto games =
      runner->traits().is_elsewhere ? journal::Games::elsewhere : journal::Games::here;
  auto keeper = keep_journal(settings, runner->traits().state_folder, games);
  auto impl =
      std::make_shared<Impl>(context, std::move(settings), std::move(runner), std::move(keeper));
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
void Server::leave(std::function<void()> stopped) {
  impl_->leave(std::move(stopped));
}
void Server::take_over(Settings read) {
  impl_->take_over(std::move(read));
}
std::uint16_t Server::admin_port() const {
  return impl_->admin_port();
}

}  // namespace fixkeep::worker
