#include "common/net/link/hub_internals.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/net/coroutines.hpp"
#include "common/net/patient_listen.hpp"
#include "common/net/steady_clock.hpp"
#include "common/net/tls/credentials.hpp"
#include "common/obs/log.hpp"
#include "common/wire/codec.hpp"
#include "common/wire/limits.hpp"

namespace fixkeep::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr auto awaited = asio::as_tuple(asio::use_awaitable);

std::uint64_t seed_from(const auth::Digest& bytes) {
  std::uint64_t seed = 0;
  for (std::size_t i = 0; i < sizeof(seed); ++i) seed = seed << 8U | bytes[i];
  return seed;
}

}  // namespace

LinkHub::Impl::Impl(asio::io_context& context, LinkOptions options, LinkHandlers handlers)
    : context_(context),
      options_(std::move(options)),
      handlers_(std::move(handlers)),
      random_(seed_from(auth::random_bytes())),
      acceptor_(context),
      tick_(context),
      breaches_(options_.links),
      unproven_(options_.pending_handshakes) {}

Result<> LinkHub::Impl::listen() {
  if (options_.listen_address.empty()) return {};  // workers only dial
  boost::system::error_code error;
  const auto address = asio::ip::make_address(options_.listen_address, error);
  if (error) return error;
  const tcp::endpoint endpoint{address, options_.listen_port};
  error = listen_patiently(PortOf::tcp, endpoint.port(), [&] {
    boost::system::error_code failure;
    acceptor_.close(failure);
    acceptor_.open(endpoint.protocol(), failure);
    if (!failure) acceptor_.set_option(tcp::acceptor::reuse_address{true}, failure);
    if (!failure) acceptor_.bind(endpoint, failure);
    if (!failure) acceptor_.listen(tcp::acceptor::max_listen_connections, failure);
    return failure;
  });
  if (error) return error;
  port_ = acceptor_.local_endpoint(error).port();
  return {};
}

void LinkHub::Impl::start() {
  renew(options_.tls);
  if (acceptor_.is_open()) asio::co_spawn(context_, accept_all(), rethrow);
  arm_tick();
}

// --- nodes that dial us -------------------------------------------------------------------------

asio::awaitable<void> LinkHub::Impl::accept_all() {
  const auto self = shared_from_this();
  while (!stopping_) {
    auto [error, socket] = co_await acceptor_.async_accept(awaited);
    if (stopping_) co_return;
    if (error) {  // a pause prevents a busy loop, for example without free descriptors
      accept_failed(error);
      asio::steady_timer pause{context_, std::chrono::milliseconds{50}};
      co_await pause.async_wait(awaited);
      continue;
    }
    auto connection =
        std::make_shared<LinkConnection>(std::move(socket), options_.send_queue_bytes, counters_);
    const auto from = asio::ip::make_address(connection->remote_address(), error);
    if (const auto loser = unproven_.add(connection, from)) {
      loser->shut(Errc::handshake_crowded_out);
    }
    asio::co_spawn(context_, serve(std::move(connection)), rethrow);
  }
}

asio::awaitable<void> LinkHub::Impl::serve(Connection connection) {
  const auto self = shared_from_this();
  auto shaken = co_await shake_hands(connection, Handshake::Side::listener, {});
  unproven_.remove(connection);
  Result<> admitted = shaken ? Result<>{} : shaken.error();
  if (shaken) {
    connection->node = shaken->peer();
    admitted = admit(connection, shaken->accept());
    if (!admitted) connection->send(shaken->refuse(static_cast<Errc>(admitted.error().value())));
  }
  if (!admitted) {
    refuse({false, connection->node.name, connection->remote(), admitted.error(),
            connection->other_version});
    connection->shut_when_sent(admitted.error());
    co_return;
  }
  co_await converse(connection);
}

// --- both ---------------------------------------------------------------------------------------

asio::awaitable<Result<Handshake>> LinkHub::Impl::shake_hands(Connection connection,
                                                              Handshake::Side side,
                                                              std::string expected_name) {
  HandshakeOptions options{.cluster = options_.cluster,
                           .secret = options_.secret,
                           .certified = std::nullopt,
                           .self = options_.self,
                           .admits = options_.admits,
                           .expected_name = std::move(expected_name),
                           .known_masters = options_.known_masters};
  if (options_.tls) {
    auto certified = co_await connection->secure(options_.tls, side);
    if (!certified) {
      if (certified.error() == Errc::not_tls) connection->send(refusal_frame(Errc::not_tls));
      co_return certified.error();
    }
    connection->node.name = certified->name;
    options.secret = connection->channel_secret();
    options.certified = std::move(*certified);
  }
  Handshake handshake{side, std::move(options), auth::random_bytes()};
  if (side == Handshake::Side::dialler) connection->send(handshake.open());
  const auto exchanged = co_await exchange(*connection, handshake);
  connection->other_version = handshake.other_version();
  if (!handshake.peer().name.empty()) connection->node = handshake.peer();
  if (!exchanged) co_return exchanged.error();
  co_return std::move(handshake);
}

asio::awaitable<Result<>> LinkHub::Impl::exchange(LinkConnection& connection,
                                                  Handshake& handshake) {
  for (;;) {
    const auto frame = co_await connection.read_frame(handshake_frame_bytes);
    if (!frame) {
      if (frame.error() != Errc::frame_too_large || !connection.hears_tls()) {
        co_return frame.error();
      }
      connection.send_tls_alert();
      co_return Errc::not_tls;
    }
    std::string answer;
    const auto outcome = handshake.receive(*frame, answer);
    if (!answer.empty()) connection.send(answer);
    switch (outcome) {
      case Handshake::Outcome::more: break;
      case Handshake::Outcome::verified:
      case Handshake::Outcome::done: co_return Result<>{};
      case Handshake::Outcome::failed: co_return handshake.error();
    }
  }
}

// Makes the proven connection the link of its node, unless another live process has this name.
// `last_frame` ends our side of the handshake. This frame is sent before any output of on_up().
Result<> LinkHub::Impl::admit(const Connection& connection, std::string_view last_frame) {
  if (stopping_) return Errc::stopping;
  // The certificate may have been revoked during the handshake.
  if (options_.tls && connection->is_revoked_by(*options_.tls)) return Errc::certificate_refused;
  const Key key{connection->node.role, connection->node.name};
  if (const auto breach = breaches_.of(key, steady_now())) return *breach;
  if (const auto known = links_.find(key); known != links_.end()) {
    const auto older = known->second;
    if (older->open() && !replaces(connection->node, older->node)) return Errc::duplicate_node;
    older->shut(Errc::link_replaced);
    report_down(older, older->reason());
  } else if (links_.size() >= most_links(key.first)) {
    return Errc::too_many_links;
  }
  connection->node.link = LinkNumber{++last_link_};
  links_[key] = connection;
  if (!last_frame.empty()) connection->send(last_frame);
  connection->established = true;
  handlers_.on_up(connection->node);
  return {};
}

namespace {

template <class Direction>
Result<> pass_on(const LinkConnection& from, std::string_view payload,
                 const std::function<void(const Peer&, Direction&&)>& handler) {
  auto message = wire::decode<Direction>(payload);
  if (!message) return message.error();
  if (!handler) return Errc::malformed_message;
  if (from.established && from.open()) handler(from.node, std::move(*message));
  return {};
}

}  // namespace

Result<> LinkHub::Impl::hear(const LinkConnection& connection, std::string_view payload) {
  if (options_.self.role == Role::worker) {
    return pass_on(connection, payload, handlers_.on_master_said);
  }
  return connection.node.role == Role::worker
             ? pass_on(connection, payload, handlers_.on_worker_said)
             : pass_on(connection, payload, handlers_.on_peer_said);
}

asio::awaitable<void> LinkHub::Impl::converse(Connection connection) {
  boost::system::error_code reason;
  while (!reason) {
    const auto frame = co_await connection->read_frame(wire::limits::frame_bytes);
    if (!frame) {
      reason = frame.error();
    } else if (!frame->empty()) {
      ++counters_.frames_received;
      if (const auto heard = hear(*connection, *frame); !heard) reason = heard.error();
    }
    // If a handler has closed the connection, the rest of the buffer is not read.
    if (!reason && !connection->open()) reason = connection->reason();
    if (!reason && connection->frame_waits()) continue;
    if (handlers_.on_batch_end && !orphaned_) handlers_.on_batch_end();
    // Sends the answers before the next read: this saves two system calls on each hop.
    flush();
  }
  connection->shut(reason);
  breaches_.ended({connection->node.role, connection->node.name}, connection->reason(),
                  steady_now());
  report_down(connection, connection->reason());
}

void LinkHub::Impl::flush() {
  for (const auto& [key, link] : links_) link->write();
}

void LinkHub::Impl::report_down(const Connection& connection, boost::system::error_code reason) {
  if (!connection->established) return;
  connection->established = false;
  const Key key{connection->node.role, connection->node.name};
  if (const auto known = links_.find(key); known != links_.end() && known->second == connection) {
    links_.erase(known);
  }
  if (stopping_ && links_.empty()) tick_.cancel();
  handlers_.on_down(connection->node, reason);
}

void LinkHub::Impl::refuse(const LinkFailure& failure) {
  ++counters_.handshakes_failed;
  if (handlers_.on_refused && !stopping_) handlers_.on_refused(failure);
}

void LinkHub::Impl::accept_failed(boost::system::error_code reason) {
  const auto like_it = accept_log_.admit("accept", steady_now());
  if (!like_it) return;
  obs::log_warning("cannot accept a link" + obs::more_like_it(*like_it),
                   {{"port", port_}, {"reason", reason.message()}});
}

// Workers cannot take the places reserved for masters.
std::size_t LinkHub::Impl::most_links(Role role) const {
  if (role == Role::master) return options_.links;
  return options_.links - std::min(options_.links, options_.known_masters.size());
}

LinkConnection* LinkHub::Impl::find(Role role, const std::string& name, LinkNumber link) const {
  const auto found = links_.find({role, name});
  if (found == links_.end()) return nullptr;
  auto* const connection = found->second.get();
  return link == LinkNumber::none || link == connection->node.link ? connection : nullptr;
}

// --- certificates -------------------------------------------------------------------------------

void LinkHub::Impl::renew(std::shared_ptr<TlsCredentials> tls) {
  options_.tls = std::move(tls);
  const auto expires_at = certificate_expires_at().value_or(std::chrono::sys_seconds{});
  counters_.certificate_expires_s = expires_at.time_since_epoch().count();
  expiry_.renewed();
  if (!options_.tls) return;
  for (const auto& [key, link] : links_) {
    if (link->is_revoked_by(*options_.tls)) link->shut(Errc::certificate_refused);
  }
}

void LinkHub::Impl::admit(std::string admits) {
  if (std::exchange(options_.admits, std::move(admits)) == options_.admits) return;
  for (const auto& [key, link] : links_) {
    if (link->node.role == Role::master) link->shut(Errc::connect_anew);
  }
}

std::optional<std::chrono::sys_seconds> LinkHub::Impl::certificate_expires_at() const {
  if (!options_.tls) return std::nullopt;
  return options_.tls->expires_at();
}

// --- the clock ----------------------------------------------------------------------------------

void LinkHub::Impl::arm_tick() {
  tick_.expires_after(options_.heartbeat_interval);
  tick_.async_wait([self = shared_from_this()](boost::system::error_code error) {
    // stop() uses the timer for another purpose, but this handler may be queued already.
    if (error || self->stopping_) return;
    self->tick();
    self->arm_tick();
  });
}

void LinkHub::Impl::tick() {
  expiry_.look(certificate_expires_at(),
               std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
  const auto now = LinkConnection::Clock::now();
  // After a pause of this process its timers are late, but the peers are not silent: their messages
  // are still unread. Therefore a late tick counts like a punctual tick. A peer is down after
  // enough ticks without bytes from this peer.
  const auto awake =
      std::min<LinkConnection::Clock::duration>(now - last_tick_, options_.heartbeat_interval);
  last_tick_ = now;
  for (const auto& [key, link] : links_) {
    if (link->silence_after(awake) > options_.heartbeat_timeout) {
      link->shut(Errc::heartbeat_missed);
    } else {
      link->send_heartbeat();
    }
  }
  each_unproven([&](LinkConnection& connection) {
    // The time counts from the start of the connection, because a client that sends single bytes
    // from time to time must not keep its place.
    if (now - connection.since > options_.handshake_timeout) {
      connection.shut(Errc::handshake_timeout);
    }
  });
}

// --- the end ------------------------------------------------------------------------------------

void LinkHub::Impl::stop(std::chrono::milliseconds limit) {
  if (stopping_) return;
  stopping_ = true;
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  for (const auto& target : targets_) target->cancel();
  each_unproven([](LinkConnection& connection) { connection.shut(Errc::stopping); });
  for (const auto& [key, link] : std::map{links_}) link->finish(Errc::stopping);
  tick_.expires_after(limit);
  tick_.async_wait([self = shared_from_this()](boost::system::error_code error) {
    if (!error) self->abandon();
  });
  if (links_.empty()) tick_.cancel();
}

void LinkHub::Impl::abandon() {
  stopping_ = true;
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  tick_.cancel();
  for (const auto& target : targets_) target->cancel();
  each_unproven([](LinkConnection& connection) { connection.shut(Errc::stopping); });
  for (const auto& [key, link] : std::map{links_}) link->shut(Errc::stopping);
}

// The owner of the handlers may be destroyed directly after its hub, so nothing is reported any
// more.
void LinkHub::Impl::orphan() {
  abandon();
  orphaned_ = true;
  for (const auto& [key, link] : links_) link->established = false;
  links_.clear();
}

}  // namespace fixkeep::net
