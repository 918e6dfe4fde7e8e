#include "master/shell/server.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

#include "common/base/assert.hpp"
#include "common/net/http/operators.hpp"
#include "common/net/link/troubles.hpp"
#include "common/node/events_page.hpp"
#include "common/node/node_page.hpp"
#include "common/node/node_shell.hpp"
#include "common/obs/log.hpp"
#include "common/process/self.hpp"
#include "master/core/directory/duplicate_watch.hpp"
#include "master/core/links/modes_agreement.hpp"
#include "master/http/api.hpp"
#include "master/http/view/metrics_page.hpp"
#include "master/http/wall_clock.hpp"
#include "master/modes/mode_json.hpp"
#include "master/shell/descriptors.hpp"
#include "master/shell/link_handlers.hpp"
#include "master/shell/master_log.hpp"
#include "master/shell/mesh.hpp"
#include "master/shell/result_event.hpp"
#include "master/shell/spans.hpp"

namespace fixkeep::master {

namespace {

MatchDeskOptions desk_options(const Settings& settings, SpanOptions spans) {
  return {
      settings.core.self,
      settings.core.incarnation,
      {settings.modes, std::chrono::duration_cast<std::chrono::milliseconds>(settings.match_wait),
       settings.client_limits, settings.identity, settings.links.secret},
      std::move(spans)};
}

bool any_pools(const std::vector<Mode>& modes) {
  return std::ranges::any_of(modes, [](const Mode& mode) { return mode.rules != nullptr; });
}

}  // namespace
class Server::Impl : public std::enable_shared_from_this<Server::Impl> {
 public:
  Impl(boost::asio::io_context& context, Settings settings)
      : context_(context),
        settings_(std::move(settings)),
        core_(settings_.core, net::steady_now()),
        shell_(context, core_, *this),
        spans_(Spans::start(context, settings_)),
        webhook_(start_webhook(context, settings_.webhook)),
        desk_(desk_options(settings_, spans_.of_matches()),
              [this](Event&& event) { shell_.post(std::move(event)); }),
        views_(ViewDesk::start(context)),
        journal_(to_string(settings_.core.self), settings_.events_kept),
        feed_(Feed::start(context,
                          {.node = to_string(settings_.core.self),
                           .cluster = settings_.links.cluster,
                           .modes = settings_.modes},
                          *views_, [this] { return frame_facts(); })),
        calls_(WorkerCalls::start(context,
                                  [this](const WorkerId& worker, wire::OperatorCall&& call) {
                                    return send(net::Role::worker, worker.text(), std::move(call));
                                  })),
        api_({.self = settings_.core.self,
              .lock_strategy = settings_.core.locks.strategy,
              .cluster = settings_.links.cluster,
              .configuration = [this] { return node::without_what_games_keep(to_json(settings_)); },
              .next_modes = [this] { return next_modes_json(); },
              .masters = [this] { return rows_of(settings_.masters); },
              .metrics_facts = [this] { return metrics_facts(); },
              .readiness_facts = [this] { return readiness_facts(); },
              .refused_nodes = [this] { return troubles_.refused(net::steady_now()); },
              .now = net::steady_now,
              .journal = journal_,
              .feed = *feed_,
              .allowed_origins = settings_.http.allowed_origins},
             core_, desk_, *views_, *calls_, matches_, tickets_),
        troubles_(settings_.links.known_masters),
        log_(spans_.of_orders()) {
    (void)core_.take_news();  // starts the recording of news
  }
  ~Impl() {
    feed_->stop();
    views_->stop();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  bool open(node::StartFailure& failure) {
    auto links = net::LinkHub::start(context_, settings_.links, link_handlers());
    if (!links) {
      failure = {"cannot listen for the mesh on " + settings_.links.listen_address + ":" +
                     std::to_string(settings_.links.listen_port),
                 links.error()};
      return false;
    }
    links_ = std::move(*links);
    if (!open_engine(failure)) return false;
    auto http = net::HttpServer::start(
        context_, settings_.http,
        [this](net::HttpRequest&& request, const net::HttpResponder& responder) {
          api_.handle(request, responder, Audience::players);
          arm_tickets();
        });
    if (!http) {
      failure = {"cannot listen for HTTP on " + settings_.http.address + ":" +
                     std::to_string(settings_.http.port),
                 http.error()};
      return false;
    }
    http_ = std::move(*http);
    if (!open_admin(failure)) return false;
    links_->dial_only(dialled_by(settings_));
    shell_.arm();
    return true;
  }

  void stop(std::function<void()> ended) {
    if (stopping_) return;
    if (settings_.stop_delay == Duration{0} || std::exchange(ending_, true)) {
      ended();
      return stop();
    }
    obs::log_info("serving on, not ready any more", {{"ms", settings_.stop_delay.count()}});
    stop_delay_.expires_after(settings_.stop_delay);
    stop_delay_.async_wait([self = shared_from_this(), ended = std::move(ended)](auto error) {
      if (error || self->stopping_) return;
      ended();
      self->stop();
    });
  }

  void stop() {
    if (stopping_) return;
    stopping_ = true;
    stop_delay_.cancel();
    shell_.stop_timer();
    ticket_timer_.cancel();
    http_->stop_accepting();
    if (admin_.http) admin_.http->stop_accepting();
    shell_.drain();
    Actions actions;
    core_.stop(net::steady_now(), actions);
    shell_.perform(actions);
    feed_->stop();
    calls_->stop();
    spans_.stop();
    if (webhook_) webhook_->stop(std::chrono::milliseconds{1'000});
    views_->stop();  // posts its answers before the connections end below
    // For this time the links may send their remaining bytes. The HTTP connections are closed only
    // in a later turn of the loop (below), after their answers.
    links_->stop(std::chrono::milliseconds{500});
    if (engine_) engine_->stop(std::chrono::milliseconds{500});
    boost::asio::post(context_, [self = shared_from_this()] {
      self->http_->close();
      if (self->admin_.http) self->admin_.http->close();
    });
  }

  [[nodiscard]] std::uint16_t http_port() const { return http_->port(); }
  [[nodiscard]] std::uint16_t admin_port() const { return admin_.http ? admin_.http->port() : 0; }
  [[nodiscard]] std::optional<lock::ListRefusal> list_refusal(const Settings& read) const {
    return core_.locks().list_refusal(read.core.locks.peers);
  }
  void renew(const Settings& read) {
    links_->renew(read.links.tls);
    links_->admit(settings_.links.admits = read.links.admits);
    http_->renew(read.http.tls);
    desk_.intake().renew(read.identity);
    tickets_.keys_changed();
    if (admin_.http) net::renew_for_operators(*admin_.http, settings_.admin, read.admin);
    renew_modes(read);
    if (read.masters == settings_.masters || stopping_) return;
    settings_.masters = read.masters;
    obs::log_info("list of masters changed", {{"masters", names_of(read.masters)}});
    shell_.take(MastersListed{read.core.locks.peers});
    links_->know(read.links.known_masters);
    troubles_.know(read.links.known_masters);
    links_->dial_only(dialled_by(settings_));
  }

  // Takes the modes from `read`. They take effect at this master when the other masters have read
  // them, too (links/modes_agreement.hpp).
  void renew_modes(const Settings& read) {
    if (read.core.modes.hash == core_.modes().last_read() || stopping_) return;
    next_modes_ = read.modes;
    share_equal_rules(settings_.modes, next_modes_);
    CoreModes next = read.core.modes;
    for (const Mode& mode : next_modes_) {
      if (mode.shadow) next.shadows[mode.name] = mode.shadow;
    }
    shell_.take(ModesRead{std::move(next)});
    if (core_.modes().waits()) MasterLog::modes_wait(core_.modes().missing(net::steady_now()));
  }

  [[nodiscard]] std::uint16_t mesh_port() const { return links_->port(); }
  // --- called by the shell

  // Reads the wall clock first, then the steady clock. The token of a seat is timed with the wall
  // clock, and the seat with the steady clock. Thus the token ends no later than the seat.
  void batch_begins() {
    wall_ = wall_now();
    if (has_pools_) worked_ = net::thread_time();
    now_ = net::steady_now();
  }
  void batch_ended(TimePoint now) {
    if (core_.take_pool_work()) core_.pool_work_took(net::thread_time() - worked_, now);
    note_events();
    arm_tickets();
    if (stopping_) return;
    duplicates_.look(core_.directory(), now);
    auto news = core_.take_news();
    feed_->note(news, core_.directory(), now);
    views_->turn(std::move(news), core_.directory());
  }
  // A message for a link that has broken is dropped, even if the node has a new link by now. The
  // node's WorkerDisconnected or PeerDisconnected is in the inbox or will follow.
  void perform(SendToWorker& wanted) {
    MasterLog::sends(wanted, core_.directory());
    if (const auto* order = std::get_if<wire::SpawnRoom>(&wanted.message)) {
      duplicates_.ordered(*order, core_.directory(), now_);
    }
    (void)send(net::Role::worker, wanted.worker.text(), std::move(wanted.message));
  }
  void perform(SendToPeer& wanted) {
    (void)send(net::Role::master, to_string(wanted.peer), std::move(wanted.message));
  }
  void perform(const LockTaken& lock) { MasterLog::taken(lock); }
  void perform(const ModesInEffect&) {
    settings_.modes = std::exchange(next_modes_, {});
    has_pools_ = any_pools(settings_.modes);
    desk_.renew(settings_.modes, now_);
    feed_->renew(settings_.modes);
    MasterLog::modes_in_effect();
  }
  void perform(const OrderDone& order) {
    log_.done(order, now_);
    auto event = settings_.webhook.matches ? match_event(order) : std::string{};
    if (webhook_ && !event.empty()) webhook_->add(std::move(event));
  }
  void perform(const CloseWorkerLink& wanted) {
    close(net::Role::worker, wanted.worker.text(), reason_of(wanted));
  }
  void perform(const ClosePeerLink& wanted) {
    close(net::Role::master, to_string(wanted.peer), Errc::unexpected_message);
  }
  void perform(const WorkerQuarantined& wanted) { MasterLog::quarantined(wanted.stay, now_); }
  void perform(const QuarantineEnded& wanted) { MasterLog::tried_again(wanted.stay); }
  void perform(OrderEngine& wanted) { engine_->perform(wanted.key, std::move(wanted.order)); }
  TicketsDesk::Tell ticket_teller() {
    if (!webhook_ || !settings_.webhook.tickets) return {};
    return [this](std::string event) { webhook_->add(std::move(event)); };
  }
  void perform(const ResultHeard& heard) {
    if (webhook_) tell_result(*webhook_, heard);
  }
  void perform(const MatchOver& over) {
    if (webhook_ && settings_.webhook.matches) webhook_->add(match_event(over));
  }
  void perform(const Matched& wanted) { tickets_.matched(wanted, now_); }
  void perform(const Seated& wanted) {
    if (!matches_.answer(wanted, now_, wall_)) desk_.answer(wanted, now_, wall_);
  }
  void perform(const SeatsGivenBack& wanted) { desk_.answer(wanted); }
  void perform(const Refused& wanted) {
    if (!matches_.answer(wanted, now_)) desk_.answer(wanted, now_, core_.directory());
  }

 private:
  net::LinkHandlers link_handlers() {
    return master::link_handlers(
        {.post =
             [this](Event&& event, std::optional<node::LinkChange> change) {
               shell_.post(std::move(event), std::move(change));
             },
         .batch_ended =
             [this] {
               if (!shell_.idle()) shell_.drain();
             },
         .close = [this](const net::Peer& peer,
                         Errc why) { links_->close(peer.role, peer.name, peer.link, why); },
         .calls = *calls_,
         .troubles = troubles_,
         .admits = admits_});
  }

  bool open_admin(node::StartFailure& failure) {
    const auto& options = settings_.admin;
    if (options.http.port == 0) {
      obs::log_warning("this master has no listener for operators", {{"give", "admin.port"}});
      return true;
    }
    auto admin = net::start_for_operators(
        context_, options, [this](net::HttpRequest&& request, const net::HttpResponder& responder) {
          api_.handle(request, responder, Audience::operators);
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

  bool open_engine(node::StartFailure& failure) {
    if (settings_.engine.servers.empty()) return true;  // the lock is in the masters
    engine::EngineHandlers handlers;
    handlers.on_reply = [this](const GroupKey& group, const lock::EngineReply& reply) {
      shell_.post(EngineSaid{group, reply});
    };
    handlers.on_ready = [this](bool ready) {
      MasterLog::lock_server(settings_.engine.strategy, ready);
      shell_.post(EngineReady{ready});
    };
    auto engine = engine::make_engine(context_, settings_.engine, std::move(handlers));
    if (!engine) {
      failure = {"cannot use the servers of lock.servers", engine.error()};
      return false;
    }
    engine_ = std::move(*engine);
    return true;
  }

  // Usually the next time only becomes later, and setting a timer costs a system call. Therefore
  // the timer is set only if the time becomes earlier. If the timer fires too early, it is set
  // again.
  void arm_tickets() {
    const TimePoint next = tickets_.next_tick();
    if (stopping_ || next >= tickets_armed_for_) return;
    tickets_armed_for_ = next;
    ticket_timer_.expires_at(net::to_steady(next));
    ticket_timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
      const auto self = error ? nullptr : weak.lock();
      if (!self) return;  // set to an earlier time, or the master has ended
      self->tickets_armed_for_ = TimePoint::max();
      self->tickets_.tick(net::steady_now());
      self->arm_tickets();
    });
  }

  void note_events() {
    const bool wanted = journal_.open() || feed_->wanted();
    core_.record_events(wanted);
    if (!wanted) return;
    const auto at = node::event_time_now();
    const auto happened = core_.take_events();
    journal_.add(at, happened);
    feed_->note(at, happened);
  }

  [[nodiscard]] FrameFacts frame_facts() {
    const auto now = net::steady_now();
    FrameFacts facts;
    facts.masters = masters_facts(settings_.core.self, rows_of(settings_.masters), core_);
    facts.quarantined = quarantine_facts(core_, now);
    facts.locks = locks_facts(settings_.core.locks.strategy, core_, now, engine_facts());
    facts.counters = core_.counters();
    facts.waiting = desk_.waiting_facts(core_);
    facts.pools = pools_.look(desk_, core_, now);
    facts.match_times = desk_.statistics().seated_in_all_modes();
    facts.duplicates = duplicates_.total();
    facts.at_ms = wall_now().time_since_epoch().count();
    facts.steady_zero_ms = steady_zero_ms_;
    return facts;
  }

  [[nodiscard]] MetricsFacts metrics_facts() {
    duplicates_.look(core_.directory(), net::steady_now());
    std::optional<Duration> oldest;
    if (const auto since = desk_.oldest_waits_since()) oldest = net::steady_now() - *since;
    std::vector<node::ListenerFacts> listeners{node::listener_facts("players", *http_)};
    if (admin_.http) listeners.push_back(node::listener_facts(admin_));
    return {.counters = core_.counters(),
            .matches = desk_.statistics(),
            .oldest_waits = oldest,
            .duplicates = duplicates_.counts(),
            .quarantined = core_.quarantined().size(),
            .joined = core_.joined(),
            .masters_up = linked(settings_, core_),
            .locks = core_.locks().statistics(),
            .engine = engine_facts(),
            .links = links_->counters(),
            .listeners = std::move(listeners),
            .view_put_off = views_->put_off(),
            .spans = spans_.counters(),
            .webhook = webhook_ ? webhook_->counters() : net::WebhookCounters{},
            .callers_refused = desk_.intake().callers_refused()};
  }
  [[nodiscard]] std::string next_modes_json() const {
    if (!core_.modes().waits()) return {};
    config::Json modes = config::Json::array();
    for (const Mode& mode : next_modes_) modes.push_back(to_json(mode));
    config::Json missing = config::Json::array();
    for (const MasterId peer : core_.modes().missing(net::steady_now()))
      missing.push_back(to_string(peer));
    return config::Json{{"modes", std::move(modes)}, {"missing", std::move(missing)}}.dump();
  }
  [[nodiscard]] std::optional<EngineFacts> engine_facts() const {
    return engine_ ? std::optional{EngineFacts{engine_->ready(), engine_->statistics()}}
                   : std::nullopt;
  }

  [[nodiscard]] ReadinessFacts readiness_facts() const {
    auto facts = master::readiness_facts(settings_, core_, troubles_, admits_, engine_.get());
    facts.ending = ending_;
    return facts;
  }
  bool send(net::Role role, const std::string& name, const wire::Message& message) {
    return links_->send(role, name, shell_.links().of(role, name), message);
  }
  void close(net::Role role, const std::string& name, Errc reason) {
    links_->close(role, name, shell_.links().of(role, name), reason);
  }

  boost::asio::io_context& context_;
  boost::asio::steady_timer stop_delay_{context_};
  Settings settings_;
  MasterCore core_;
  node::NodeShell<MasterCore, Impl> shell_;
  Spans spans_;
  std::unique_ptr<net::Webhook> webhook_;  // null: none is configured
  MatchDesk desk_;
  MatchesDesk matches_{desk_, core_};
  TicketsDesk tickets_{desk_, core_, settings_.ticket_keep, ticket_teller()};
  boost::asio::steady_timer ticket_timer_{context_};
  TimePoint tickets_armed_for_ = TimePoint::max();
  std::shared_ptr<ViewDesk> views_;
  events::Journal journal_;
  std::shared_ptr<Feed> feed_;
  std::shared_ptr<WorkerCalls> calls_;
  Api api_;
  std::unique_ptr<net::LinkHub> links_;
  std::unique_ptr<net::HttpServer> http_;   // server for players
  net::OperatorsListener admin_;            // listener for operators; null without a port
  std::unique_ptr<engine::Engine> engine_;  // null: the lock is in the masters
  net::LinkTroubles troubles_;
  AdmitsByMaster admits_;
  DuplicateWatch duplicates_;
  PoolWatch pools_;
  MasterLog log_;
  auth::WallTime wall_{};  // start of the present batch
  TimePoint now_;          // the same time, steady clock
  Duration worked_{};      // CPU time of the thread at now_, if there are pools
  bool has_pools_ = any_pools(settings_.modes);
  std::vector<Mode> next_modes_;  // modes that were read but are not yet in effect
  const std::int64_t steady_zero_ms_ =
      wall_now().time_since_epoch().count() -
      std::chrono::duration_cast<std::chrono::milliseconds>(net::steady_now().time_since_epoch())
          .count();
  bool ending_ = false;    // /readyz reports "stopping", but requests are still served
  bool stopping_ = false;  // no more requests are served
};

Server::Server(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Server::~Server() {
  impl_->stop();
}

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

void Server::stop(std::function<void()> ended) {
  impl_->stop(std::move(ended));
}

std::optional<lock::ListRefusal> Server::list_refusal(const Settings& read) const {
  return impl_->list_refusal(read);
}
void Server::renew(const Settings& read) {
  impl_->renew(read);
}
std::uint16_t Server::http_port() const {
  return impl_->http_port();
}
std::uint16_t Server::admin_port() const {
  return impl_->admin_port();
}
std::uint16_t Server::mesh_port() const {
  return impl_->mesh_port();
}

}  // namespace fixkeep::master
