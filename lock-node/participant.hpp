// One participant of a distributed lock: links to the other masters, the table of locks, and the
// engine of a strategy that lives in a server, as in a master but without workers and players.
//
// Invariants: 1. every acquire() that said true ends in on_granted, on_lost or abandon().
//             2. handlers are called one at a time, also if acquire() is called from one of them.
//             3. a peer that is cut is neither heard nor spoken to; a partition is cut on both
//                sides: the other one would otherwise see links that come and go.
// Thread rule: the thread of the io_context. Bounds: LockTableOptions::keys.
// Errors: start() fails if the address cannot be listened on or the engine refuses its servers.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "common/base/result.hpp"
#include "common/engine/engine.hpp"
#include "common/lock/lock_table.hpp"
#include "common/net/link/hub.hpp"
#include "common/node/known_links.hpp"
#include "lock-node/options.hpp"

namespace fixkeep::lock_node {

[[nodiscard]] TimePoint steady_now();

struct ParticipantHandlers {
  std::function<void(const lock::KeyGranted&)> on_granted;
  std::function<void(const GroupKey&, lock::LostReason)> on_lost;
  std::function<void(MasterId, bool up)> on_peer;
  std::function<void(MasterId)> on_echo;
  // Once: grants are possible, and every peer is there or the join grace is over.
  std::function<void()> on_ready;
};

class Participant {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Participant>> start(boost::asio::io_context& context,
                                                                  NodeOptions options,
                                                                  ParticipantHandlers handlers);
  Participant(const Participant&) = delete;
  Participant& operator=(const Participant&) = delete;

  // --- the caller's side. False: not in this state of the key.
  bool acquire(const GroupKey& key);
  bool abandon(const GroupKey& key);
  bool release(const GroupKey& key, std::string bytes, bool uncertain);

  // Sends a framed message that the peer sends back at once. False: there is no link.
  bool echo(MasterId peer);
  void cut(MasterId peer);
  void heal(MasterId peer);
  // Ends everything gracefully; then the io_context has nothing of ours left to do.
  void stop();

  // --- looking
  [[nodiscard]] bool ready() const { return ready_; }
  [[nodiscard]] bool wanted(const GroupKey& key) const { return wishes_.contains(key); }
  [[nodiscard]] const NodeOptions& options() const { return options_; }
  [[nodiscard]] const lock::LockTable& table() const { return table_; }
  [[nodiscard]] const net::LinkCounters& links() const { return hub_->counters(); }
  [[nodiscard]] const engine::Engine* engine() const { return engine_.get(); }

 private:
  struct Wish {
    bool held = false;
    FencingToken token;
    FencingToken fence;
  };

  Participant(boost::asio::io_context& context, NodeOptions options, ParticipantHandlers handlers);
  Result<> open_links();
  Result<> open_engine();
  void link_up(const net::Peer& node);
  void link_down(const net::Peer& node);
  [[nodiscard]] net::LinkNumber link_to(MasterId peer) const;
  void receive(const net::Node& node, wire::Message&& message);
  void perform();
  void perform_one(lock::SendToPeer& wanted);
  void perform_one(lock::KeyGranted& granted);
  void perform_one(lock::KeyLost& lost);
  void perform_one(lock::OrderEngine& wanted);
  void arm_timer();
  void look_whether_ready();

  boost::asio::io_context& context_;
  NodeOptions options_;
  ParticipantHandlers handlers_;
  boost::asio::steady_timer timer_;
  TimePoint armed_for_ = TimePoint::max();
  TimePoint grace_ends_;
  lock::LockTable table_;
  std::unique_ptr<net::LinkHub> hub_;
  std::unique_ptr<engine::Engine> engine_;  // null with a lock of the mesh
  lock::TableActions actions_;
  std::map<GroupKey, Wish> wishes_;
  std::set<MasterId> cut_;
  net::KnownLinks linked_;  // those that the table was told of
  bool performing_ = false;
  bool ready_ = false;
  bool stopping_ = false;
};

}  // namespace fixkeep::lock_node
