// Links between simulated nodes, with the promises of common/net/link/hub.hpp and no others.
//
// One ordered connection a pair. Every message is encoded to frame bytes, travels for a random time
// without overtaking another of its connection, and is decoded again.
// Fault model: a connection breaks (what is in flight is lost, and the two ends notice at different
// times, within the heartbeat timeout); a pair cannot reach each other; a pair is slow; a node
// crashes or pauses; the name of the end that is dialled is looked up for long; a node has the name
// of another one, and is refused while that one is linked (net::replaces()). A listener counts
// silence in the time in which it was awake itself. The dialler of a pair dials again, with
// back-off, until it succeeds.
//
// Invariants: 1. up, then messages in order, then down exactly once, for each connection and side.
//             2. a message of an older connection is never delivered after up of a newer one.
//             3. what a paused node says on a connection that its peer has closed is lost.
// Thread rule: one owner. Bounds: none; the run ends.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "common/base/random.hpp"
#include "common/net/node.hpp"
#include "common/wire/messages.hpp"
#include "tests/sim/inbox.hpp"
#include "tests/sim/scheduler.hpp"

namespace fixkeep::sim {

using NodeIndex = std::uint32_t;

struct NetworkOptions {
  Duration delay_least{100};
  Duration delay_most{2'000};
  Duration slow_most{200'000};  // one way, on a pair that was made slow
  Duration heartbeat_timeout{1'500'000};
  // As the mesh has it by default: six heartbeats may be lost.
  [[nodiscard]] Duration heartbeat_interval() const { return heartbeat_timeout / 6; }
  Duration reconnect_first{50'000};
  Duration reconnect_most{1'000'000};
  Duration look_up_most{8'000'000};  // of a slow name
};

struct NetworkHandlers {
  std::function<Incarnation(NodeIndex)> run_of;  // now
  // `run`: the run of the peer with which the handshake was made.
  std::function<void(NodeIndex self, NodeIndex peer, net::LinkNumber link, Incarnation run)> up;
  std::function<void(NodeIndex self, NodeIndex peer)> down;
  std::function<void(NodeIndex self, NodeIndex peer, std::string_view payload)> message;
};

class Network {
 public:
  Network(Scheduler& scheduler, Random random, NetworkOptions options, NetworkHandlers handlers);

  // `inbox` outlives the network.
  NodeIndex add_node(Inbox& inbox);
  void link(NodeIndex dialler, NodeIndex acceptor);  // kept up for good from now on
  // Both dial, and an acceptor takes them for one node of which another process runs already.
  void share_a_name(NodeIndex one, NodeIndex other);

  // Both drop what is not for the connection that `from` or `self` has now.
  void send(NodeIndex from, NodeIndex to, net::LinkNumber link, const wire::Message& message);
  void close(NodeIndex self, NodeIndex peer, net::LinkNumber link);  // by the decision of `self`

  // --- faults
  void break_link(NodeIndex a, NodeIndex b);
  void replace_link(NodeIndex a, NodeIndex b);  // its dialler dials anew, unseen by the other end
  void set_blocked(NodeIndex a, NodeIndex b, bool blocked);
  void set_slow(NodeIndex a, NodeIndex b, bool slow);
  void set_slow_name(NodeIndex a, NodeIndex b, bool slow);  // each time before it is dialled
  void node_started(NodeIndex node);
  void node_crashed(NodeIndex node);
  void node_paused(NodeIndex node);
  void heal();  // nothing blocked or slow any more

  // --- looking
  [[nodiscard]] bool up(NodeIndex self, NodeIndex peer) const;  // as `self` believes
  [[nodiscard]] bool up(NodeIndex self, NodeIndex peer, net::LinkNumber link) const;
  // Since when `self` has had an undisturbed connection; `never` if it has none.
  [[nodiscard]] SimTime sound_since(NodeIndex self, NodeIndex peer) const;
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  struct Connection {
    net::LinkNumber number = net::LinkNumber::none;
    std::array<bool, 2> dead{};   // what this side says is lost
    std::array<bool, 2> ended{};  // this side has noticed the end, or will never be up
    std::array<SimTime, 2> up_at{never, never};
    std::array<SimTime, 2> last_arrival{};  // of what this side said
  };
  using ConnectionPtr = std::shared_ptr<Connection>;
  struct Pair {
    std::array<NodeIndex, 2> nodes{};  // dialler, acceptor
    bool blocked = false;
    bool slow = false;
    bool slow_name = false;
    bool looked_up = false;
    bool dial_due = false;
    Duration backoff{};
    ConnectionPtr newest;                // also while it is being made
    std::array<ConnectionPtr, 2> views;  // what each side believes to be up
  };

  // A node that sleeps says nothing to its peer.
  struct Silence {
    Pair* between = nullptr;
    ConnectionPtr connection;
    NodeIndex sleeper = 0;
    std::uint64_t pause = 0;  // which one
    Duration heard_out_at{};  // the listener's time awake at which it has waited for long enough
  };

  Pair& pair(NodeIndex a, NodeIndex b);
  [[nodiscard]] const Pair& pair(NodeIndex a, NodeIndex b) const;
  static std::size_t side(const Pair& pair, NodeIndex node) {
    return pair.nodes[0] == node ? 0 : 1;
  }
  Inbox& inbox(const Pair& pair, std::size_t side) { return *inboxes_[pair.nodes[side]]; }

  Duration one_way(const Pair& pair);
  void dial_after(Pair& pair, Duration delay);
  void dial(Pair& pair);
  // Whether another node of the dialler's name is linked to the acceptor.
  [[nodiscard]] bool is_taken(const Pair& pair) const;
  void come_up(Pair& pair, const ConnectionPtr& connection, std::size_t side, SimTime at);
  void notice_after(Pair& pair, const ConnectionPtr& connection, std::size_t side, Duration delay);
  void notice(Pair& pair, const ConnectionPtr& connection, std::size_t side);
  void cut(Pair& pair);
  void await_silence(const Silence& silence, Duration rest);
  void arrive(Pair& pair, const ConnectionPtr& connection, std::size_t from, std::string frame);

  Scheduler& scheduler_;
  Random random_;
  NetworkOptions options_;
  NetworkHandlers handlers_;
  std::vector<Inbox*> inboxes_;
  std::map<NodeIndex, NodeIndex> namesakes_;
  std::map<std::pair<NodeIndex, NodeIndex>, Pair> pairs_;  // lower node first; addresses are stable
  std::uint64_t connections_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace fixkeep::sim
