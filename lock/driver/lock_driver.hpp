// The locks of one master, for programs that need no rooms: links to the other masters, the table
// of locks, and the engine if the strategy has a server.
//
// The caller's calls and the peers' messages go through one NodeShell in the same order as in a
// real master (event_queue.hpp).
// Invariants: 1. Every acquire() ends in on_granted, on_lost or abandon().
//             2. Handlers are called one at a time, even if one of them calls acquire() or a
//                similar function. That call takes effect after the handler.
// Thread rule: the thread of the io_context. Bounds: LockTableOptions::keys and the bounds of the
// links and of the engine. Errors: start() fails if it cannot listen on the address or if the
// engine refuses the servers. After the start, on_lost gives the reason for a key that was not
// granted.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "common/net/link/hub.hpp"
#include "lock/core/lock_table.hpp"
#include "lock/engines/engine.hpp"

namespace fixkeep::node {

struct LockDriverOptions {
  lock::LockTableOptions table;
  net::LinkOptions links;
  std::optional<engine::EngineOptions> engine;  // null: the locks are in the masters
};

struct LockDriverHandlers {
  std::function<void(const lock::KeyGranted&)> on_granted;
  std::function<void(const lock::KeyLost&)> on_lost;
  // May be empty. Called after the table has learned that the peer's link is new or broken.
  std::function<void(MasterId, bool up)> on_peer;
  // May be empty. If it returns false, the driver closes the new link and ignores its messages.
  std::function<bool(MasterId)> admits;
  // May be empty. Called for each message when it arrives. Returns true if the message is not for
  // the table.
  std::function<bool(MasterId, lock::MeshMessage&)> takes;
  // May be empty. Called after each batch: joined(), up() and ready() may have changed.
  std::function<void()> on_batch;
};

class LockDriver {
 public:
  [[nodiscard]] static Result<std::unique_ptr<LockDriver>> start(boost::asio::io_context& context,
                                                                 LockDriverOptions options,
                                                                 LockDriverHandlers handlers);
  ~LockDriver();  // ends immediately, without releases
  LockDriver(const LockDriver&) = delete;
  LockDriver& operator=(const LockDriver&) = delete;

  void dial(MasterId peer, const std::string& host, std::uint16_t port);

  // REQUIRES: see lock_table.hpp.
  void acquire(const GroupKey& key);
  void abandon(const GroupKey& key);
  void release(const GroupKey& key, FencingToken token, lock::LockValue value);

  // Sends over the link that the table knows. Returns false if there is no link.
  bool send(MasterId peer, lock::MeshMessage message);
  void close(MasterId peer, Errc why);
  // Ends everything gracefully. Afterwards the io_context has no work from the driver.
  void stop(std::chrono::milliseconds limit);

  // --- queries
  [[nodiscard]] const lock::LockTable& table() const;
  [[nodiscard]] const net::LinkHub& links() const;
  [[nodiscard]] const engine::Engine* engine() const;  // null without an engine

 private:
  class Impl;
  explicit LockDriver(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fixkeep::node
