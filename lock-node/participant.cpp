#include "lock-node/participant.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "common/auth/incarnation.hpp"

namespace fixkeep::lock_node {

namespace {

using net::Role;

// Kinds of LockMessage that no strategy has: a question, and the same sent back.
constexpr std::uint8_t echo_question = 254;
constexpr std::uint8_t echo_answer = 255;
constexpr std::chrono::milliseconds stop_limit{500};

// "m3" as the link layer names a master. The handshake admits configured names only.
MasterId master_of(const net::Node& node) {
  std::uint16_t number = 0;
  std::from_chars(node.name.data() + 1, node.name.data() + node.name.size(), number);
  return MasterId{number};
}

lock::LockTableOptions table_options(const NodeOptions& options) {
  lock::LockTableOptions table;
  table.strategy = options.strategy;
  table.self = options.self;
  for (const auto& [peer, address] : options.peers) table.peers.push_back(peer);
  table.join_grace = options.join_grace;
  table.wait = options.wait;
  table.lease = options.lease;
  table.quorum = options.quorum;
  return table;
}

}  // namespace

TimePoint steady_now() {
  return TimePoint{
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch())};
}

Result<std::unique_ptr<Participant>> Participant::start(boost::asio::io_context& context,
                                                        NodeOptions options,
                                                        ParticipantHandlers handlers) {
  std::unique_ptr<Participant> made{
      new Participant{context, std::move(options), std::move(handlers)}};
  if (const auto opened = made->open_links(); !opened) return opened.error();
  if (const auto opened = made->open_engine(); !opened) return opened.error();
  made->arm_timer();
  return made;
}

Participant::Participant(boost::asio::io_context& context, NodeOptions options,
                         ParticipantHandlers handlers)
    : context_(context),
      options_(std::move(options)),
      handlers_(std::move(handlers)),
      timer_(context),
      grace_ends_(steady_now() + options_.join_grace),
      table_(table_options(options_), steady_now()) {}

Result<> Participant::open_links() {
  net::LinkOptions links;
  links.cluster = options_.cluster;
  links.secret = "of locks without rooms, on loopback";
  links.self = {Role::master, to_string(options_.self), auth::new_incarnation()};
  links.listen_address = options_.listen.host;
  links.listen_port = options_.listen.port;
  links.reconnect_most = std::chrono::milliseconds{200};
  links.known_masters.push_back(to_string(options_.self));
  for (const auto& [peer, address] : options_.peers) links.known_masters.push_back(to_string(peer));
  net::LinkHandlers handlers;
  handlers.on_up = [this](const net::Peer& node) { link_up(node); };
  handlers.on_message = [this](const net::Node& node, wire::Message&& message) {
    receive(node, std::move(message));
  };
  handlers.on_down = [this](const net::Peer& node, boost::system::error_code) { link_down(node); };
  auto hub = net::LinkHub::start(context_, links, handlers);
  if (!hub) return hub.error();
  hub_ = std::move(*hub);
  for (const auto& [peer, address] : options_.peers) {
    if (peer < options_.self) hub_->dial(to_string(peer), address.host, address.port);
  }
  return {};
}

Result<> Participant::open_engine() {
  if (options_.servers.empty()) return {};  // the lock lives in the masters
  engine::EngineOptions made;
  made.strategy = options_.strategy;
  made.self = options_.self;
  made.cluster = options_.cluster;
  for (const auto& server : options_.servers) made.servers.push_back({server.host, server.port});
  made.ttl = options_.lease;
  made.seed = auth::new_incarnation().number();
  engine::EngineHandlers handlers;
  handlers.on_reply = [this](const GroupKey& key, const lock::EngineReply& reply) {
    table_.engine_said(key, reply, steady_now(), actions_);
    perform();
  };
  handlers.on_ready = [this](bool ready) {
    table_.engine_ready(ready);
    look_whether_ready();
  };
  auto engine = engine::make_engine(context_, made, std::move(handlers));
  if (!engine) return engine.error();
  engine_ = std::move(*engine);
  return {};
}

// --- the caller

bool Participant::acquire(const GroupKey& key) {
  if (!wishes_.try_emplace(key).second) return false;
  table_.acquire(key, steady_now(), actions_);
  perform();
  return true;
}

bool Participant::abandon(const GroupKey& key) {
  const auto found = wishes_.find(key);
  if (found == wishes_.end() || found->second.held) return false;
  wishes_.erase(found);
  table_.abandon(key, steady_now(), actions_);
  perform();
  return true;
}

bool Participant::release(const GroupKey& key, std::string bytes, bool uncertain) {
  const auto found = wishes_.find(key);
  if (found == wishes_.end() || !found->second.held) return false;
  const auto wish = found->second;
  wishes_.erase(found);
  lock::LockValue value;
  value.stamp = wish.token;
  value.fence = wish.fence;
  value.uncertain = uncertain;
  value.bytes = std::move(bytes);
  table_.release(key, wish.token, std::move(value), steady_now(), actions_);
  perform();
  return true;
}

bool Participant::echo(MasterId peer) {
  if (link_to(peer) == net::LinkNumber::none) return false;
  wire::LockMessage question;
  question.key = GroupKey{"echo"};
  question.kind = echo_question;
  question.round = 1;
  question.value.bytes = "a lock value";
  return hub_->send(Role::master, to_string(peer), link_to(peer), question);
}

void Participant::cut(MasterId peer) {
  cut_.insert(peer);
  hub_->close(Role::master, to_string(peer), Errc::stopping);
}

void Participant::heal(MasterId peer) {
  cut_.erase(peer);
}

void Participant::stop() {
  if (std::exchange(stopping_, true)) return;
  timer_.cancel();
  hub_->stop(stop_limit);
  if (engine_) engine_->stop(stop_limit);
}

// --- the links

net::LinkNumber Participant::link_to(MasterId peer) const {
  return linked_.of(Role::master, to_string(peer));
}

void Participant::link_up(const net::Peer& node) {
  const auto peer = master_of(node);
  if (cut_.contains(peer)) {
    hub_->close(Role::master, node.name, Errc::stopping);
    return;
  }
  linked_.apply(net::came_up(node));
  table_.connected(peer, {}, steady_now(), actions_);
  perform();
  handlers_.on_peer(peer, true);
}

void Participant::link_down(const net::Peer& node) {
  const auto peer = master_of(node);
  if (link_to(peer) == net::LinkNumber::none) return;
  linked_.apply(net::went_down(node));
  table_.disconnected(peer, steady_now(), actions_);
  perform();
  handlers_.on_peer(peer, false);
}

void Participant::receive(const net::Node& node, wire::Message&& message) {
  const auto peer = master_of(node);
  if (auto* lock = std::get_if<wire::LockMessage>(&message)) {
    if (lock->kind == echo_answer) return handlers_.on_echo(peer);
    if (lock->kind == echo_question) {
      lock->kind = echo_answer;
      hub_->send(Role::master, node.name, message);
      return;
    }
  }
  if (!table_.receive(peer, message, steady_now(), actions_)) {
    hub_->close(Role::master, node.name, Errc::unexpected_message);
  }
  perform();
  look_whether_ready();
}

// --- what the table wants done

// A handler may call acquire() and the like, which fill `actions_` anew: those follow these.
void Participant::perform() {
  if (performing_) return;
  performing_ = true;
  lock::TableActions batch;
  while (!actions_.empty()) {
    std::swap(batch, actions_);
    for (auto& action : batch) {
      std::visit([this](auto& wanted) { perform_one(wanted); }, action);
    }
    batch.clear();
  }
  performing_ = false;
  if (!stopping_) arm_timer();
}

void Participant::perform_one(lock::SendToPeer& wanted) {
  hub_->send(Role::master, to_string(wanted.to), link_to(wanted.to), wanted.message);
}

void Participant::perform_one(lock::KeyGranted& granted) {
  const auto found = wishes_.find(granted.key);
  if (found == wishes_.end()) return;  // abandoned between the two
  found->second = {true, granted.token, granted.needs_fence ? granted.token : granted.value.fence};
  handlers_.on_granted(granted);
}

void Participant::perform_one(lock::KeyLost& lost) {
  if (wishes_.erase(lost.key) > 0) handlers_.on_lost(lost.key, lost.reason);
}

void Participant::perform_one(lock::OrderEngine& wanted) {
  engine_->perform(wanted.key, std::move(wanted.order));
}

// --- time

// Deadlines move with every acquisition, nearly always to a later time: the timer is set anew only
// for an earlier one, and looks again when it was early. Setting it is a system call each.
void Participant::arm_timer() {
  const auto next = ready_ ? table_.next_tick() : std::min(table_.next_tick(), grace_ends_);
  if (next >= armed_for_) return;
  armed_for_ = next;
  timer_.expires_at(std::chrono::steady_clock::time_point{next.time_since_epoch()});
  timer_.async_wait([this](boost::system::error_code error) {
    if (error || stopping_) return;  // replaced by an earlier one, or the end
    armed_for_ = TimePoint::max();
    table_.tick(steady_now(), actions_);
    look_whether_ready();
    perform();
  });
}

void Participant::look_whether_ready() {
  if (ready_ || !table_.joined() || (engine_ && !engine_->ready())) return;
  const bool all = std::all_of(options_.peers.begin(), options_.peers.end(),
                               [this](const auto& entry) { return table_.up(entry.first); });
  if (!all && steady_now() < grace_ends_) return;
  ready_ = true;
  handlers_.on_ready();
}

}  // namespace fixkeep::lock_node
