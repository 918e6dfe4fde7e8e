#include "tests/sim/network.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/assert.hpp"
#include "common/wire/codec.hpp"

namespace fixkeep::sim {

Network::Network(Scheduler& scheduler, Random random, NetworkOptions options,
                 NetworkHandlers handlers)
    : scheduler_(scheduler), random_(random), options_(options), handlers_(std::move(handlers)) {}

NodeIndex Network::add_node(Inbox& inbox) {
  inboxes_.push_back(&inbox);
  return static_cast<NodeIndex>(inboxes_.size() - 1);
}

Network::Pair& Network::pair(NodeIndex a, NodeIndex b) {
  return pairs_.at({std::min(a, b), std::max(a, b)});
}

const Network::Pair& Network::pair(NodeIndex a, NodeIndex b) const {
  return pairs_.at({std::min(a, b), std::max(a, b)});
}

void Network::link(NodeIndex dialler, NodeIndex acceptor) {
  Pair& made = pairs_[{std::min(dialler, acceptor), std::max(dialler, acceptor)}];
  made.nodes = {dialler, acceptor};
  made.backoff = options_.reconnect_first;
}

void Network::share_a_name(NodeIndex one, NodeIndex other) {
  namesakes_[one] = other;
  namesakes_[other] = one;
}

Duration Network::one_way(const Pair& pair) {
  const Duration most = pair.slow ? options_.slow_most : options_.delay_most;
  return Duration{random_.between(options_.delay_least.count(), most.count())};
}

// --- making connections -------------------------------------------------------------------------

void Network::dial_after(Pair& pair, Duration delay) {
  if (pair.dial_due) return;
  pair.dial_due = true;
  scheduler_.after(delay, [this, &pair] {
    pair.dial_due = false;
    dial(pair);
  });
}

void Network::dial(Pair& pair) {
  if (!inbox(pair, 0).running()) return;  // node_started() begins anew
  if (pair.newest && !pair.newest->ended[0]) return;
  if (pair.slow_name && !std::exchange(pair.looked_up, !pair.looked_up)) {
    const Duration most = options_.look_up_most;
    return dial_after(pair, Duration{random_.between(most.count() / 4, most.count())});
  }
  if (pair.blocked || !inbox(pair, 0).responsive() || !inbox(pair, 1).responsive() ||
      is_taken(pair)) {
    const Duration jitter{random_.between(0, pair.backoff.count() / 2)};
    dial_after(pair, pair.backoff / 2 + jitter);
    pair.backoff = std::min(pair.backoff * 2, options_.reconnect_most);
    return;
  }
  pair.backoff = options_.reconnect_first;
  const auto made = std::make_shared<Connection>();
  made->number = net::LinkNumber{++connections_};
  pair.newest = made;
  // Three trips of the handshake; the side that sends the last proof of it may be up first.
  const Duration handshake = one_way(pair) + one_way(pair) + one_way(pair);
  for (std::size_t side = 0; side < 2; ++side) {
    come_up(pair, made, side, scheduler_.now() + handshake + one_way(pair));
  }
}

bool Network::is_taken(const Pair& pair) const {
  const auto namesake = namesakes_.find(pair.nodes[0]);
  return namesake != namesakes_.end() && up(pair.nodes[1], namesake->second);
}

void Network::come_up(Pair& pair, const ConnectionPtr& connection, std::size_t side, SimTime at) {
  // The other side's first message follows the handshake that brings this side up.
  connection->last_arrival[1 - side] = at;
  scheduler_.at(at, [this, &pair, connection, side] {
    if (connection->ended[side]) return;
    const Incarnation run = handlers_.run_of(pair.nodes[1 - side]);
    inbox(pair, side).deliver([this, &pair, connection, side, run] {
      if (connection != pair.newest) connection->ended[side] = true;  // a newer one was faster
      if (side == 1 && is_taken(pair)) {
        connection->ended[1] = true;
        connection->dead = {true, true};
        notice_after(pair, connection, 0, one_way(pair));
      }
      if (connection->ended[side]) return;
      const NodeIndex self = pair.nodes[side];
      const NodeIndex peer = pair.nodes[1 - side];
      if (const ConnectionPtr older = pair.views[side]) notice(pair, older, side);
      pair.views[side] = connection;
      connection->up_at[side] = scheduler_.now();
      handlers_.up(self, peer, connection->number, run);
    });
  });
}

// --- ending connections -------------------------------------------------------------------------

void Network::notice_after(Pair& pair, const ConnectionPtr& connection, std::size_t side,
                           Duration delay) {
  scheduler_.after(delay, [this, &pair, connection, side] {
    inbox(pair, side).deliver([this, &pair, connection, side] { notice(pair, connection, side); });
  });
}

void Network::notice(Pair& pair, const ConnectionPtr& connection, std::size_t side) {
  if (connection->ended[side]) return;
  connection->ended[side] = true;
  connection->dead = {true, true};
  if (pair.views[side] == connection) {
    pair.views[side] = nullptr;
    handlers_.down(pair.nodes[side], pair.nodes[1 - side]);
  }
  if (side == 0) dial_after(pair, Duration{random_.between(0, options_.reconnect_first.count())});
}

// The wire is cut. Each side finds out by itself, or only one does and closes towards the other.
void Network::cut(Pair& pair) {
  const ConnectionPtr connection = pair.newest;
  if (!connection) return;
  // Now and then one direction still works until the other side gives up.
  const std::size_t first = random_.below(2);
  connection->dead[first] = true;
  if (!random_.chance(0.3)) connection->dead[1 - first] = true;
  for (std::size_t side = 0; side < 2; ++side) {
    const Duration delay{random_.between(1'000, options_.heartbeat_timeout.count())};
    notice_after(pair, connection, side, delay);
  }
}

void Network::close(NodeIndex self, NodeIndex peer, net::LinkNumber link) {
  Pair& between = pair(self, peer);
  const std::size_t own = side(between, self);
  const ConnectionPtr connection = between.views[own];
  if (!connection || connection->number != link) return;
  connection->dead = {true, true};
  notice_after(between, connection, own, Duration{0});
  notice_after(between, connection, 1 - own, one_way(between));
}

void Network::break_link(NodeIndex a, NodeIndex b) {
  cut(pair(a, b));
}

// The dialler has closed its end, and the word of that is lost. What it said before still arrives,
// until its new connection takes the place of the old one.
void Network::replace_link(NodeIndex a, NodeIndex b) {
  Pair& between = pair(a, b);
  const ConnectionPtr connection = between.views[0];
  if (!connection || connection != between.newest || !inbox(between, 0).responsive()) return;
  connection->ended[0] = true;
  connection->dead[1] = true;
  between.views[0] = nullptr;
  handlers_.down(between.nodes[0], between.nodes[1]);
  dial_after(between, Duration{0});
  // Should nothing take its place, silence ends it.
  notice_after(between, connection, 1, options_.heartbeat_timeout);
}

void Network::set_blocked(NodeIndex a, NodeIndex b, bool blocked) {
  Pair& between = pair(a, b);
  if (blocked && !between.blocked) cut(between);
  between.blocked = blocked;
}

void Network::set_slow(NodeIndex a, NodeIndex b, bool slow) {
  pair(a, b).slow = slow;
}

void Network::set_slow_name(NodeIndex a, NodeIndex b, bool slow) {
  pair(a, b).slow_name = slow;
}

void Network::heal() {
  for (auto& [nodes, between] : pairs_) {
    between.slow_name = false;
    between.blocked = false;
    between.slow = false;
  }
}

void Network::node_started(NodeIndex node) {
  for (auto& [nodes, between] : pairs_) {
    if (between.nodes[0] == node) dial_after(between, Duration{random_.between(100, 5'000)});
    // A dialler that has not noticed the end of an earlier run learns of it at its next heartbeat:
    // the kernel of the new run does not know the connection and resets it.
    if (between.nodes[1] != node || !between.views[0]) continue;
    const Duration heartbeat{random_.between(0, options_.heartbeat_interval().count())};
    notice_after(between, between.views[0], 0, heartbeat + one_way(between) + one_way(between));
  }
}

void Network::node_crashed(NodeIndex node) {
  for (auto& [nodes, between] : pairs_) {
    if (between.nodes[0] != node && between.nodes[1] != node) continue;
    const std::size_t own = side(between, node);
    between.views[own] = nullptr;
    if (!between.newest) continue;
    between.newest->dead = {true, true};
    between.newest->ended[own] = true;
    // A process that dies says so through its kernel; a machine that dies says nothing.
    const bool silent = random_.chance(0.3);
    const Duration delay = silent ? options_.heartbeat_timeout : one_way(between);
    notice_after(between, between.newest, 1 - own, delay);
  }
}

void Network::node_paused(NodeIndex node) {
  const std::uint64_t pause = inboxes_[node]->pauses();
  for (auto& [nodes, between] : pairs_) {
    if (between.nodes[0] != node && between.nodes[1] != node) continue;
    const ConnectionPtr connection = between.newest;
    if (!connection) continue;
    const Duration silence = options_.heartbeat_timeout + Duration{random_.between(0, 250'000)};
    const Duration awake = inbox(between, 1 - side(between, node)).awake(scheduler_.now());
    await_silence({&between, connection, node, pause, awake + silence}, silence);
  }
}

void Network::await_silence(const Silence& silence, Duration rest) {
  scheduler_.after(rest, [this, silence] {
    const auto& [between, connection, node, pause, heard_out_at] = silence;
    const Inbox& sleeper = *inboxes_[node];
    if (!sleeper.paused() || sleeper.pauses() != pause) return;
    const std::size_t own = side(*between, node);
    const Duration left = heard_out_at - inbox(*between, 1 - own).awake(scheduler_.now());
    if (left.count() > 0)
      return await_silence(silence, std::max(left, options_.heartbeat_interval()));
    connection->dead = {true, true};
    notice_after(*between, connection, 1 - own, Duration{0});
    // Behind everything that the kernel has kept for the sleeper.
    notice_after(*between, connection, own, one_way(*between));
  });
}

// --- messages ---

void Network::send(NodeIndex from, NodeIndex to, net::LinkNumber link,
                   const wire::Message& message) {
  Pair& between = pair(from, to);
  const std::size_t own = side(between, from);
  const ConnectionPtr connection = between.views[own];
  if (!connection || connection->number != link) return;
  std::string frame;
  wire::append_frame(message, frame);
  ++messages_;
  bytes_ += frame.size();
  SimTime& last = connection->last_arrival[own];
  last = std::max(last, scheduler_.now() + one_way(between));
  scheduler_.at(last, [this, &between, connection, own, frame = std::move(frame)]() mutable {
    arrive(between, connection, own, std::move(frame));
  });
}

void Network::arrive(Pair& pair, const ConnectionPtr& connection, std::size_t from,
                     std::string frame) {
  if (connection->dead[from]) return;
  const std::size_t own = 1 - from;
  inbox(pair, own).deliver([this, &pair, connection, own, frame = std::move(frame)] {
    if (pair.views[own] != connection) return;
    handlers_.message(pair.nodes[own], pair.nodes[1 - own],
                      std::string_view{frame}.substr(wire::prefix_bytes));
  });
}

// --- looking ------------------------------------------------------------------------------------

bool Network::up(NodeIndex self, NodeIndex peer) const {
  const Pair& between = pair(self, peer);
  return between.views[side(between, self)] != nullptr;
}

bool Network::up(NodeIndex self, NodeIndex peer, net::LinkNumber link) const {
  const Pair& between = pair(self, peer);
  const ConnectionPtr& view = between.views[side(between, self)];
  return view && view->number == link;
}

SimTime Network::sound_since(NodeIndex self, NodeIndex peer) const {
  const Pair& between = pair(self, peer);
  const ConnectionPtr& own = between.views[side(between, self)];
  if (!own || own != between.views[side(between, peer)]) return never;
  if (own->dead[0] || own->dead[1]) return never;
  return std::max(own->up_at[0], own->up_at[1]);
}

}  // namespace fixkeep::sim
