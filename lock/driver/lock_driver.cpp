#include "lock/driver/lock_driver.hpp"

#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "common/node/node_shell.hpp"

namespace fixkeep::node {
namespace {

struct Acquire {
  GroupKey key;
};
struct Abandon {
  GroupKey key;
};
struct Release {
  GroupKey key;
  FencingToken token;
  lock::LockValue value;
};
struct PeerConnected {
  MasterId peer;
};
struct PeerDisconnected {
  MasterId peer;
};
struct PeerSaid {
  MasterId peer;
  lock::MeshMessage message;
};
struct EngineSaid {
  GroupKey key;
  lock::EngineReply reply;
};
struct EngineReady {
  bool ready = false;
};

struct TellOfPeer {
  MasterId peer;
  bool up = false;
};
struct ClosePeer {
  MasterId peer;
};

// Wraps a LockTable in the functions that NodeShell expects from a core.
class LockCore {
 public:
  struct TimePassed {};
  using Event = std::variant<Acquire, Abandon, Release, PeerConnected, PeerDisconnected, PeerSaid,
                             EngineSaid, EngineReady, TimePassed>;
  using Action = std::variant<lock::SendToPeer, lock::KeyGranted, lock::KeyLost, lock::OrderEngine,
                              TellOfPeer, ClosePeer>;
  using Actions = std::vector<Action>;

  LockCore(lock::LockTableOptions options, TimePoint now) : table_(std::move(options), now) {}

  void step(Event&& event, TimePoint now, Actions& out) {
    std::visit([&](auto&& what) { on(std::forward<decltype(what)>(what), now, out); },
               std::move(event));
    for (auto& action : wanted_) {
      std::visit([&](auto& wanted) { out.emplace_back(std::move(wanted)); }, action);
    }
    wanted_.clear();
    if (told_) out.emplace_back(*std::exchange(told_, std::nullopt));
  }
  [[nodiscard]] TimePoint next_tick() const { return table_.next_tick(); }
  [[nodiscard]] const lock::LockTable& table() const { return table_; }

 private:
  void on(Acquire&& what, TimePoint now, Actions&) { table_.acquire(what.key, now, wanted_); }
  void on(Abandon&& what, TimePoint now, Actions&) { table_.abandon(what.key, now, wanted_); }
  void on(Release&& what, TimePoint now, Actions&) {
    table_.release(what.key, what.token, std::move(what.value), now, wanted_);
  }
  void on(PeerConnected&& what, TimePoint now, Actions&) {
    table_.connected(what.peer, {}, now, wanted_);
    told_ = TellOfPeer{what.peer, true};
  }
  void on(PeerDisconnected&& what, TimePoint now, Actions&) {
    table_.disconnected(what.peer, now, wanted_);
    told_ = TellOfPeer{what.peer, false};
  }
  void on(PeerSaid&& what, TimePoint now, Actions& out) {
    if (!table_.receive(what.peer, what.message, now, wanted_)) {
      out.emplace_back(ClosePeer{what.peer});
    }
  }
  void on(EngineSaid&& what, TimePoint now, Actions&) {
    table_.engine_said(what.key, what.reply, now, wanted_);
  }
  void on(EngineReady&& what, TimePoint, Actions&) { table_.engine_ready(what.ready); }
  void on(TimePassed&&, TimePoint now, Actions&) { table_.tick(now, wanted_); }

  lock::LockTable table_;
  lock::TableActions wanted_;
  std::optional<TellOfPeer> told_;  // performed after the table's actions for the event
};

}  // namespace

class LockDriver::Impl {
 public:
  Impl(boost::asio::io_context& context, lock::LockTableOptions table, LockDriverHandlers handlers)
      : handlers_(std::move(handlers)),
        core_(std::move(table), net::steady_now()),
        shell_(context, core_, *this) {}

  Result<> open(boost::asio::io_context& context, const LockDriverOptions& options) {
    auto links = net::LinkHub::start(context, options.links, link_handlers());
    if (!links) return links.error();
    links_ = std::move(*links);
    if (options.engine) {
      auto engine = engine::make_engine(context, *options.engine, engine_handlers());
      if (!engine) return engine.error();
      engine_ = std::move(*engine);
    }
    shell_.arm();
    return {};
  }

  void want(LockCore::Event&& event) { shell_.take(std::move(event)); }

  bool send(MasterId peer, lock::MeshMessage&& message) {
    return links_->send(net::Role::master, to_string(peer), link_to(peer), std::move(message));
  }
  void close(MasterId peer, Errc why) { links_->close(net::Role::master, to_string(peer), why); }

  void stop(std::chrono::milliseconds limit) {
    shell_.stop_timer();
    links_->stop(limit);
    if (engine_) engine_->stop(limit);
  }

  [[nodiscard]] net::LinkNumber link_to(MasterId peer) const {
    return shell_.links().of(net::Role::master, to_string(peer));
  }
  [[nodiscard]] const lock::LockTable& table() const { return core_.table(); }
  [[nodiscard]] net::LinkHub& links() { return *links_; }
  [[nodiscard]] const engine::Engine* engine() const { return engine_.get(); }

  // --- for the shell
  void batch_begins() {}
  void batch_ended(TimePoint) {
    if (handlers_.on_batch) handlers_.on_batch();
  }
  void perform(lock::SendToPeer& wanted) { (void)send(wanted.to, std::move(wanted.message)); }
  void perform(lock::KeyGranted& granted) { handlers_.on_granted(granted); }
  void perform(lock::KeyLost& lost) { handlers_.on_lost(lost); }
  void perform(lock::OrderEngine& wanted) { engine_->perform(wanted.key, std::move(wanted.order)); }
  void perform(TellOfPeer& told) {
    if (handlers_.on_peer) handlers_.on_peer(told.peer, told.up);
  }
  void perform(ClosePeer& wanted) {
    links_->close(net::Role::master, to_string(wanted.peer), link_to(wanted.peer),
                  Errc::unexpected_message);
  }

 private:
  net::LinkHandlers link_handlers() {
    net::LinkHandlers handlers;
    handlers.on_up = [this](const net::Peer& peer) {
      const auto id = net::master_of(peer);
      if (handlers_.admits && !handlers_.admits(id)) {
        unheard_.insert(peer.link);
        links_->close(net::Role::master, peer.name, peer.link, Errc::stopping);
        return;
      }
      shell_.post(PeerConnected{id}, came_up(peer));
    };
    handlers.on_peer_said = [this](const net::Peer& peer, wire::BetweenMasters&& message) {
      if (unheard_.contains(peer.link)) return;
      const auto id = net::master_of(peer);
      auto* const mesh = std::get_if<lock::MeshMessage>(&message);
      if (mesh == nullptr) {  // a message about pools, which exist only in masters
        return links_->close(net::Role::master, peer.name, peer.link, Errc::unexpected_message);
      }
      if (handlers_.takes && handlers_.takes(id, *mesh)) return;
      shell_.post(PeerSaid{id, std::move(*mesh)});
    };
    handlers.on_down = [this](const net::Peer& peer, boost::system::error_code) {
      if (unheard_.erase(peer.link) > 0) return;
      shell_.post(PeerDisconnected{net::master_of(peer)}, went_down(peer));
    };
    handlers.on_batch_end = [this] {
      if (!shell_.idle()) shell_.drain();
    };
    return handlers;
  }

  engine::EngineHandlers engine_handlers() {
    engine::EngineHandlers handlers;
    handlers.on_reply = [this](const GroupKey& key, const lock::EngineReply& reply) {
      shell_.post(EngineSaid{key, reply});
    };
    handlers.on_ready = [this](bool ready) { shell_.post(EngineReady{ready}); };
    return handlers;
  }

  LockDriverHandlers handlers_;
  LockCore core_;
  NodeShell<LockCore, Impl> shell_;
  std::unique_ptr<net::LinkHub> links_;
  std::unique_ptr<engine::Engine> engine_;
  std::set<net::LinkNumber> unheard_;  // refused links that are not down yet
};

LockDriver::LockDriver(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LockDriver::~LockDriver() = default;

Result<std::unique_ptr<LockDriver>> LockDriver::start(boost::asio::io_context& context,
                                                      LockDriverOptions options,
                                                      LockDriverHandlers handlers) {
  auto impl = std::make_unique<Impl>(context, std::move(options.table), std::move(handlers));
  if (const auto opened = impl->open(context, options); !opened) return opened.error();
  return std::unique_ptr<LockDriver>{new LockDriver{std::move(impl)}};
}

void LockDriver::dial(MasterId peer, const std::string& host, std::uint16_t port) {
  impl_->links().dial({to_string(peer), host, port});
}
void LockDriver::acquire(const GroupKey& key) {
  impl_->want(Acquire{key});
}
void LockDriver::abandon(const GroupKey& key) {
  impl_->want(Abandon{key});
}
void LockDriver::release(const GroupKey& key, FencingToken token, lock::LockValue value) {
  impl_->want(Release{key, token, std::move(value)});
}
bool LockDriver::send(MasterId peer, lock::MeshMessage message) {
  return impl_->send(peer, std::move(message));
}
void LockDriver::close(MasterId peer, Errc why) {
  impl_->close(peer, why);
}
void LockDriver::stop(std::chrono::milliseconds limit) {
  impl_->stop(limit);
}
const lock::LockTable& LockDriver::table() const {
  return impl_->table();
}
const net::LinkHub& LockDriver::links() const {
  return impl_->links();
}
const engine::Engine* LockDriver::engine() const {
  return impl_->engine();
}

}  // namespace fixkeep::node
