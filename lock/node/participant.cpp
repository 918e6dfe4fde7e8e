#include "lock/node/participant.hpp"

#include <algorithm>
#include <utility>

#include "common/auth/incarnation.hpp"
#include "common/net/tls/credentials.hpp"
#include "common/obs/log.hpp"

namespace fixkeep::lock_node {

namespace {

// Kinds of LockMessage that no strategy uses: an echo request and its answer.
constexpr std::uint8_t echo_question = 254;
constexpr std::uint8_t echo_answer = 255;
constexpr std::chrono::milliseconds stop_limit{500};

}  // namespace

Result<std::unique_ptr<Participant>> Participant::start(boost::asio::io_context& context,
                                                        NodeOptions options,
                                                        ParticipantHandlers handlers) {
  std::unique_ptr<Participant> made{
      new Participant{context, std::move(options), std::move(handlers)}};
  if (const auto opened = made->open(context); !opened) return opened.error();
  return made;
}

Participant::Participant(boost::asio::io_context& context, NodeOptions options,
                         ParticipantHandlers handlers)
    : options_(std::move(options)), handlers_(std::move(handlers)), grace_(context) {}

Result<> Participant::open(boost::asio::io_context& context) {
  auto wanted = driver_options();
  if (!options_.certificates.empty() && !take_certificate(wanted.links)) {
    return Errc::invalid_configuration;
  }
  auto driver = node::LockDriver::start(context, std::move(wanted), driver_handlers());
  if (!driver) return driver.error();
  driver_ = std::move(*driver);
  for (const auto& [peer, address] : options_.peers) {
    if (peer < options_.self) driver_->dial(peer, address.host, address.port);
  }
  grace_.expires_after(options_.join_grace);
  grace_.async_wait([this](boost::system::error_code error) {
    if (error) return;
    grace_over_ = true;
    look_whether_ready();
  });
  return {};
}

bool Participant::take_certificate(net::LinkOptions& links) const {
  const std::string file = options_.certificates + "/" + links.self.name;
  links.tls_files = {options_.certificates + "/authority.pem", file + ".pem", file + ".key"};
  auto loaded =
      net::TlsCredentials::load(links.tls_files, {links.cluster, links.self.role, links.self.name});
  if (const auto* why = std::get_if<std::string>(&loaded)) {
    obs::log_error("cannot use the certificate", {{"reason", *why}});
    return false;
  }
  links.tls = std::get<std::shared_ptr<net::TlsCredentials>>(std::move(loaded));
  return true;
}

node::LockDriverOptions Participant::driver_options() const {
  node::LockDriverOptions made;
  made.table.strategy = options_.strategy;
  made.table.self = options_.self;
  for (const auto& [peer, address] : options_.peers) made.table.peers.push_back(peer);
  made.table.join_grace = options_.join_grace;
  made.table.wait = options_.wait;
  made.table.lease = options_.lease;
  made.table.quorum = options_.quorum;

  made.links.cluster = options_.cluster;
  made.links.secret = "of locks without rooms, on loopback";
  made.links.self = {net::Role::master, to_string(options_.self), auth::new_incarnation(),
                     net::start_now()};
  made.links.listen_address = options_.listen.host;
  made.links.listen_port = options_.listen.port;
  made.links.reconnect_most = std::chrono::milliseconds{200};
  made.links.known_masters.push_back(to_string(options_.self));
  for (const auto& [peer, address] : options_.peers) {
    made.links.known_masters.push_back(to_string(peer));
  }

  if (options_.servers.empty()) return made;  // the locks are in the masters
  auto& engine = made.engine.emplace();
  engine.strategy = options_.strategy;
  engine.self = options_.self;
  engine.cluster = options_.cluster;
  for (const auto& server : options_.servers) engine.servers.push_back({server.host, server.port});
  engine.ttl = options_.lease;
  engine.seed = auth::new_incarnation().number();
  return made;
}

node::LockDriverHandlers Participant::driver_handlers() {
  node::LockDriverHandlers handlers;
  handlers.on_granted = [this](const lock::KeyGranted& key) { granted(key); };
  handlers.on_lost = [this](const lock::KeyLost& key) { lost(key); };
  handlers.on_peer = [this](MasterId peer, bool up) { handlers_.on_peer(peer, up); };
  handlers.admits = [this](MasterId peer) { return !cut_.contains(peer); };
  handlers.takes = [this](MasterId peer, lock::MeshMessage& message) {
    return take_echo(peer, message);
  };
  handlers.on_batch = [this] { look_whether_ready(); };
  return handlers;
}

// --- the caller

bool Participant::acquire(const GroupKey& key) {
  if (!keys_.try_emplace(key).second) return false;
  driver_->acquire(key);
  return true;
}

bool Participant::abandon(const GroupKey& key) {
  const auto found = keys_.find(key);
  if (found == keys_.end() || found->second.held) return false;
  keys_.erase(found);
  driver_->abandon(key);
  return true;
}

bool Participant::release(const GroupKey& key, std::string bytes, bool uncertain) {
  const auto found = keys_.find(key);
  if (found == keys_.end() || !found->second.held) return false;
  const auto state = found->second;
  keys_.erase(found);
  lock::LockValue value;
  value.stamp = state.token;
  value.fence = state.fence;
  value.uncertain = uncertain;
  value.bytes = std::move(bytes);
  driver_->release(key, state.token, std::move(value));
  return true;
}

bool Participant::echo(MasterId peer) {
  lock::LockMessage question;
  question.key = GroupKey{"echo"};
  question.kind = echo_question;
  question.round = 1;
  question.value.bytes = "a lock value";
  return driver_->send(peer, question);
}

void Participant::cut(MasterId peer) {
  cut_.insert(peer);
  driver_->close(peer, Errc::stopping);
}

void Participant::heal(MasterId peer) {
  cut_.erase(peer);
}

void Participant::stop() {
  grace_.cancel();
  driver_->stop(stop_limit);
}

// --- events from the driver

bool Participant::take_echo(MasterId peer, lock::MeshMessage& message) {
  auto* lock = std::get_if<lock::LockMessage>(&message);
  if (lock == nullptr) return false;
  if (lock->kind == echo_answer) {
    handlers_.on_echo(peer);
    return true;
  }
  if (lock->kind != echo_question) return false;
  lock->kind = echo_answer;
  (void)driver_->send(peer, message);
  return true;
}

void Participant::granted(const lock::KeyGranted& granted) {
  const auto found = keys_.find(granted.key);
  if (found == keys_.end()) {  // abandoned while the grant was on its way to us
    lock::LockValue value = granted.value;
    value.stamp = granted.token;
    value.uncertain = value.uncertain || granted.needs_fence;
    driver_->release(granted.key, granted.token, std::move(value));
    return;
  }
  found->second = {true, granted.token, granted.needs_fence ? granted.token : granted.value.fence};
  handlers_.on_granted(granted);
}

void Participant::lost(const lock::KeyLost& lost) {
  if (keys_.erase(lost.key) > 0) handlers_.on_lost(lost.key, lost.reason);
}

void Participant::look_whether_ready() {
  if (ready_ || !driver_ || !table().joined() || (engine() && !engine()->ready())) return;
  const bool all = std::all_of(options_.peers.begin(), options_.peers.end(),
                               [this](const auto& entry) { return table().up(entry.first); });
  if (!all && !grace_over_) return;
  ready_ = true;
  handlers_.on_ready();
}

}  // namespace fixkeep::lock_node
