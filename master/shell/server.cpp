#include "master/shell/server.hpp"

#include <boost/asio/post.hpp>
#include <optional>
#include <utility>

#include "common/base/assert.hpp"
#include "common/net/http/operators.hpp"
#include "common/net/link/troubles.hpp"
#include "common/node/events_page.hpp"
#include "common/node/node_shell.hpp"
#include "common/obs/log.hpp"
#include "common/process/self.hpp"
#include "common/wire/counter_bounds.hpp"
#include "master/http/api.hpp"
#include "master/http/view/metrics_page.hpp"
#include "master/shell/descriptors.hpp"

namespace fixkeep::master {
namespace {

auth::WallTime wall_now() {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

std::vector<MasterRow> rows_of(const std::vector<MeshMember>& masters) {
  std::vector<MasterRow> rows;
  rows.reserve(masters.size());
  for (const auto& member : masters) {
    rows.push_back({member.id, member.address.host + ":" + std::to_string(member.address.port)});
  }
  return rows;
}

MatchDeskOptions desk_options(const Settings& settings) {
  return {settings.core.self, settings.core.incarnation, settings.modes,
          std::chrono::duration_cast<std::chrono::milliseconds>(settings.match_wait),
          settings.client_limits};
}

}  // namespace

class Server::Impl : public std::enable_shared_from_this<Server::Impl> {
 public:
  Impl(boost::asio::io_context& context, Settings settings)
      : context_(context),
        settings_(std::move(settings)),
        core_(settings_.core, net::steady_now()),
        shell_(context, core_, *this),
        desk_(desk_options(settings_), [this](Event&& event) { shell_.post(std::move(event)); }),
        views_(ViewDesk::start(context)),
        journal_(to_string(settings_.core.self), settings_.events_kept),
        feed_(Feed::start(context,
                          {.node = to_string(settings_.core.self),
                           .cluster = settings_.links.cluster,
                           .modes = settings_.modes},
                          *views_, [this] { return frame_facts(); })),
        api_({.self = settings_.core.self,
              .lock_strategy = settings_.core.locks.strategy,
              .masters = rows_of(settings_.masters),
              .metrics_facts = [this] { return metrics_facts(); },
              .readiness_facts = [this] { return readiness_facts(); },
              .now = net::steady_now,
              .journal = journal_,
              .feed = *feed_},
             core_, desk_, *views_),
        troubles_(settings_.links.known_masters) {
    (void)core_.take_news();  // from here on they are kept
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
        });
    if (!http) {
      failure = {"cannot listen for HTTP on " + settings_.http.address + ":" +
                     std::to_string(settings_.http.port),
                 http.error()};
      return false;
    }
    http_ = std::move(*http);
    if (!open_admin(failure)) return false;
    for (const auto& member : settings_.masters) {
      if (member.id < settings_.core.self) {
        links_->dial(to_string(member.id), member.address.host, member.address.port);
      }
    }
    shell_.arm();
    return true;
  }

  void stop() {
    if (stopping_) return;
    stopping_ = true;
    shell_.stop_timer();
    http_->stop_accepting();
    if (admin_) admin_->stop_accepting();
    shell_.drain();
    Actions actions;
    core_.stop(net::steady_now(), actions);
    shell_.perform(actions);
    feed_->stop();
    views_->stop();  // its answers are posted before the end of the connections below
    // The answers go out with the next turn of the loop, what the links hold within the limit.
    links_->stop(std::chrono::milliseconds{500});
    if (engine_) engine_->stop(std::chrono::milliseconds{500});
    boost::asio::post(context_, [self = shared_from_this()] {
      self->http_->close();
      if (self->admin_) self->admin_->close();
    });
  }

  [[nodiscard]] std::uint16_t http_port() const { return http_->port(); }
  [[nodiscard]] std::uint16_t admin_port() const { return admin_ ? admin_->port() : 0; }
  void renew(const Settings& read) {
    links_->renew(read.links.tls);
    http_->renew(read.http.tls);
    if (admin_) admin_->renew(read.admin.http.tls);
  }

  [[nodiscard]] std::uint16_t mesh_port() const { return links_->port(); }

  // --- for the shell

  // The order counts: a seat's token, dated by this clock, ends no later than its seat by the one
  // that is read afterwards.
  void batch_begins() { wall_ = wall_now(); }
  void batch_ended(TimePoint) {
    note_events();
    if (stopping_) return;
    auto news = core_.take_news();
    feed_->note(news);
    views_->turn(std::move(news), core_.directory());
  }
  // A message to a node that has just gone is dropped here, also if the node is back: its
  // WorkerDisconnected or PeerDisconnected is in the inbox already, or about to be.
  void perform(const SendToWorker& wanted) {
    send(net::Role::worker, wanted.worker.text(), wanted.message);
  }
  void perform(const SendToPeer& wanted) {
    send(net::Role::master, to_string(wanted.peer), wanted.message);
  }
  void perform(const CloseWorkerLink& wanted) { close(net::Role::worker, wanted.worker.text()); }
  void perform(const ClosePeerLink& wanted) { close(net::Role::master, to_string(wanted.peer)); }
  void perform(const WorkerQuarantined& wanted) {
    const auto& stay = wanted.stay;
    const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::max(stay.until - net::steady_now(), Duration{0}));
    obs::log_warning("worker quarantined",
                     {{"worker", stay.worker.text()},
                      {"since_it", to_string(stay.misdeed)},
                      {"gets", keeps_apart(stay.misdeed) ? "nothing" : "no orders"},
                      {"for_ms", time.count()},
                      {"times", stay.times}});
  }
  void perform(const QuarantineEnded& wanted) {
    obs::log_info("worker is tried again", {{"worker", wanted.stay.worker.text()}});
  }
  void perform(OrderEngine& wanted) { engine_->perform(wanted.key, std::move(wanted.order)); }
  void perform(const Seated& wanted) { desk_.answer(wanted, wall_); }
  void perform(const Refused& wanted) { desk_.answer(wanted, core_.directory()); }

 private:
  net::LinkHandlers link_handlers() {
    net::LinkHandlers handlers;
    handlers.on_up = [this](const net::Peer& peer) {
      troubles_.up(peer, net::steady_now());
      if (peer.role == net::Role::master) {
        shell_.post(PeerConnected{net::master_of(peer)}, node::came_up(peer));
      } else {
        check_redial(peer);
        shell_.post(WorkerConnected{WorkerId{peer.name}, peer.incarnation}, node::came_up(peer));
      }
    };
    handlers.on_message = [this](const net::Peer& peer, wire::Message&& message) {
      const auto bounds = wire::counter_bounds(std::chrono::system_clock::now());
      if (peer.role == net::Role::master) {
        if (!wire::counters_within(message, bounds.said_by_master)) {
          links_->close(peer.role, peer.name, peer.link, Errc::implausible_counter);
          return;
        }
        shell_.post(PeerSaid{net::master_of(peer), std::move(message)});
      } else {
        wire::bound_counters(message, bounds.said_by_worker);
        shell_.post(WorkerSaid{WorkerId{peer.name}, std::move(message)});
      }
    };
    handlers.on_down = [this](const net::Peer& peer, boost::system::error_code reason) {
      troubles_.down(peer, reason);
      if (peer.role == net::Role::master) {
        shell_.post(PeerDisconnected{net::master_of(peer)}, node::went_down(peer));
      } else {
        shell_.post(WorkerDisconnected{WorkerId{peer.name}}, node::went_down(peer));
      }
    };
    handlers.on_batch_end = [this] {
      if (!shell_.idle()) shell_.drain();
    };
    handlers.on_refused = [this](const net::LinkFailure& failure) {
      troubles_.refused(failure, net::steady_now());
    };
    handlers.on_unreachable = [this](const net::LinkFailure& failure) {
      troubles_.unreachable(failure, net::steady_now());
    };
    return handlers;
  }

  // A master that has just started orders no room before its workers have had the time to find it.
  void check_redial(const net::Peer& worker) const {
    const auto settle =
        std::chrono::duration_cast<std::chrono::milliseconds>(settings_.core.worker_settle);
    if (worker.redial_most <= settle) return;
    obs::log_warning("a worker may dial again later than this master waits for it after a start",
                     {{"worker", worker.name},
                      {"its_mesh.reconnect_most_ms", worker.redial_most.count()},
                      {"our_matching.worker_settle_ms", settle.count()}});
  }

  bool open_admin(node::StartFailure& failure) {
    const auto& options = settings_.admin;
    if (options.http.port == 0) {
      obs::log_warning("nobody can look at this master: it has no listener for operators",
                       {{"give", "admin.port"}});
      return true;
    }
    auto admin = net::HttpServer::start(
        context_, options.http,
        [this, gate = net::OperatorGate{options.token}](net::HttpRequest&& request,
                                                        const net::HttpResponder& responder) {
          if (auto refused = gate.refuse(request)) return responder.answer(std::move(*refused));
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
    if (settings_.engine.servers.empty()) return true;  // the lock lives in the masters
    engine::EngineHandlers handlers;
    handlers.on_reply = [this](const GroupKey& group, const lock::EngineReply& reply) {
      shell_.post(EngineSaid{group, reply});
    };
    handlers.on_ready = [this](bool ready) {
      if (ready) {
        obs::log_info("lock server ready", {{"strategy", settings_.engine.strategy}});
      } else {
        obs::log_warning("lock server away", {{"strategy", settings_.engine.strategy}});
      }
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

  void note_events() {
    const bool wanted = journal_.open() || feed_->wanted();
    core_.record_events(wanted);
    if (!wanted) return;
    const auto at = node::event_time_now();
    const auto happened = core_.take_events();
    journal_.add(at, happened);
    feed_->note(at, happened);
  }

  [[nodiscard]] FrameFacts frame_facts() const {
    const auto now = net::steady_now();
    FrameFacts facts;
    facts.masters = masters_facts(settings_.core.self, rows_of(settings_.masters), core_);
    facts.quarantined = quarantine_facts(core_, now);
    facts.locks = locks_facts(settings_.core.locks.strategy, core_, now, engine_facts());
    facts.counters = core_.counters();
    facts.waiting = core_.waiting();
    facts.at_ms = wall_now().time_since_epoch().count();
    facts.steady_zero_ms = steady_zero_ms_;
    return facts;
  }

  [[nodiscard]] MetricsFacts metrics_facts() const {
    return {core_.counters(),           core_.waiting(),
            core_.quarantined().size(), core_.joined(),
            core_.locks().statistics(), links_->counters(),
            http_->connections(),       http_->certificate_expires_at(),
            views_->put_off(),          engine_facts()};
  }

  [[nodiscard]] std::optional<EngineFacts> engine_facts() const {
    if (!engine_) return {};
    return EngineFacts{engine_->ready(), engine_->statistics()};
  }

  [[nodiscard]] ReadinessFacts readiness_facts() const {
    ReadinessFacts facts;
    facts.required = settings_.ready_requires;
    facts.joined = core_.joined();
    for (const auto& member : settings_.masters) {
      if (member.id == settings_.core.self) continue;
      const auto name = to_string(member.id);
      facts.others.push_back({name, core_.locks().up(member.id), troubles_.of(name)});
    }
    facts.workers = core_.directory().workers().size();
    if (engine_) {
      facts.locks_reachable = engine_->ready();
      facts.lock_trouble = engine_->statistics().last_failure;
    }
    return facts;
  }

  void send(net::Role role, const std::string& name, const wire::Message& message) {
    links_->send(role, name, shell_.links().of(role, name), message);
  }
  void close(net::Role role, const std::string& name) {
    links_->close(role, name, shell_.links().of(role, name), Errc::unexpected_message);
  }

  boost::asio::io_context& context_;
  Settings settings_;
  MasterCore core_;
  node::NodeShell<MasterCore, Impl> shell_;
  MatchDesk desk_;
  std::shared_ptr<ViewDesk> views_;
  events::Journal journal_;
  std::shared_ptr<Feed> feed_;
  Api api_;
  std::unique_ptr<net::LinkHub> links_;
  std::unique_ptr<net::HttpServer> http_;   // for players
  std::unique_ptr<net::HttpServer> admin_;  // for operators; null without a port
  std::unique_ptr<engine::Engine> engine_;  // null with a lock of the mesh
  net::LinkTroubles troubles_;
  auth::WallTime wall_{};  // when the present batch began
  const std::int64_t steady_zero_ms_ =
      wall_now().time_since_epoch().count() -
      std::chrono::duration_cast<std::chrono::milliseconds>(net::steady_now().time_since_epoch())
          .count();
  bool stopping_ = false;
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

void Server::stop() {
  impl_->stop();
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
