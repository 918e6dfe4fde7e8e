// The locks of one master, for programs that need no rooms: links to the other masters, the table
// of locks and the engine of a server's strategy.
//
// The caller's wishes and the peers' messages go through one NodeShell in the order of a real
// master (event_queue.hpp).
// Invariants: 1. Every acquire() ends in on_granted, on_lost or abandon().
//             2. Handlers are called one at a time, even if one of them calls acquire() or the
//                like. The effects come after it.
// Thread rule: the thread of the io_context. Bounds: LockTableOptions::keys, the links' and the
// engine's. Errors: start() fails if it cannot listen on the address or the engine refuses its
// servers. Afterwards on_lost says why a key was not granted.
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
  std::optional<engine::EngineOptions> engine;  // null: the lock lives in the masters
};

struct LockDriverHandlers {
  std::function<void(const lock::KeyGranted&)> on_granted;
  std::function<void(const lock::KeyLost&)> on_lost;
  // May be empty. The table was told that the peer's link came or went.
  std::function<void(MasterId, bool up)> on_peer;
  // May be empty. False: the new link is closed, and nothing of it is heard.
  std::function<bool(MasterId)> admits;
  // May be empty. True: the message was not for the table; called as it arrives.
  std::function<bool(MasterId, lock::MeshMessage&)> takes;
  // May be empty. After each batch: joined(), up() and ready() may say something else now.
  std::function<void()> on_batch;
};

class LockDriver {
 public:
  [[nodiscard]] static Result<std::unique_ptr<LockDriver>> start(boost::asio::io_context& context,
                                                                 LockDriverOptions options,
                                                                 LockDriverHandlers handlers);
  ~LockDriver();  // ends at once, like the end of the process
  LockDriver(const LockDriver&) = delete;
  LockDriver& operator=(const LockDriver&) = delete;

  void dial(MasterId peer, const std::string& host, std::uint16_t port);

  // REQUIRES: as in lock_table.hpp.
  void acquire(const GroupKey& key);
  void abandon(const GroupKey& key);
  void release(const GroupKey& key, FencingToken token, lock::LockValue value);

  // Sends over the link that the table knows. False: no link.
  bool send(MasterId peer, lock::MeshMessage message);
  void close(MasterId peer, Errc why);
  // Ends everything gracefully; then the io_context has nothing of ours left to do.
  void stop(std::chrono::milliseconds limit);

  // --- looking
  [[nodiscard]] const lock::LockTable& table() const;
  [[nodiscard]] const net::LinkHub& links() const;
  [[nodiscard]] const engine::Engine* engine() const;  // null without one

 private:
  class Impl;
  explicit LockDriver(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fixkeep::node
