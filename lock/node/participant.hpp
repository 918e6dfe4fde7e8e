// One participant of a distributed lock for a session and its loops. It stores the keys that are
// wanted or held and the peers that are cut off on request. It echoes messages.
//
// Invariants: 1. Every acquire() that returned true ends in on_granted, on_lost or abandon().
//             2. A grant for an abandoned acquire is released.
//             3. Handlers are called one at a time, even if one of them calls acquire().
//             4. A cut peer receives no message, and its messages are ignored. To make a partition,
//                cut the links on both sides. Otherwise the other side connects again and again,
//                and each of its connections is closed.
// Thread rule: the thread of the io_context. Bounds: LockTableOptions::keys.
// Errors: start() fails if it cannot listen on the address or if the engine refuses the servers.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "common/base/result.hpp"
#include "lock/driver/lock_driver.hpp"
#include "lock/node/options.hpp"

namespace fixkeep::lock_node {

struct ParticipantHandlers {
  std::function<void(const lock::KeyGranted&)> on_granted;
  std::function<void(const GroupKey&, lock::LostReason)> on_lost;
  std::function<void(MasterId, bool up)> on_peer;
  std::function<void(MasterId)> on_echo;
  // Called one time, when grants are possible and every peer is linked. The call does not wait for
  // a missing peer longer than the join grace.
  std::function<void()> on_ready;
};

class Participant {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Participant>> start(boost::asio::io_context& context,
                                                                  NodeOptions options,
                                                                  ParticipantHandlers handlers);
  Participant(const Participant&) = delete;
  Participant& operator=(const Participant&) = delete;

  // --- the caller's side. Returns false if the key's state does not allow the call.
  bool acquire(const GroupKey& key);
  bool abandon(const GroupKey& key);
  bool release(const GroupKey& key, std::string bytes, bool uncertain);

  // Sends a framed message that the peer immediately sends back. Returns false if there is no link.
  bool echo(MasterId peer);
  void cut(MasterId peer);
  void heal(MasterId peer);
  // Ends everything gracefully. Afterwards the io_context has no work from the participant.
  void stop();

  // --- queries
  [[nodiscard]] bool ready() const { return ready_; }
  [[nodiscard]] bool wanted(const GroupKey& key) const { return keys_.contains(key); }
  [[nodiscard]] const NodeOptions& options() const { return options_; }
  [[nodiscard]] const lock::LockTable& table() const { return driver_->table(); }
  [[nodiscard]] const net::LinkCounters& links() const { return driver_->links().counters(); }
  [[nodiscard]] const engine::Engine* engine() const { return driver_->engine(); }

 private:
  struct KeyState {
    bool held = false;
    FencingToken token;
    FencingToken fence;
  };

  Participant(boost::asio::io_context& context, NodeOptions options, ParticipantHandlers handlers);
  Result<> open(boost::asio::io_context& context);
  [[nodiscard]] node::LockDriverOptions driver_options() const;
  // Returns false and logs the reason if no certificate is usable.
  [[nodiscard]] bool take_certificate(net::LinkOptions& links) const;
  [[nodiscard]] node::LockDriverHandlers driver_handlers();
  bool take_echo(MasterId peer, lock::MeshMessage& message);
  void granted(const lock::KeyGranted& granted);
  void lost(const lock::KeyLost& lost);
  void look_whether_ready();

  NodeOptions options_;
  ParticipantHandlers handlers_;
  boost::asio::steady_timer grace_;
  std::map<GroupKey, KeyState> keys_;
  std::set<MasterId> cut_;
  std::unique_ptr<node::LockDriver> driver_;
  bool grace_over_ = false;
  bool ready_ = false;
};

}  // namespace fixkeep::lock_node
