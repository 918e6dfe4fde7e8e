// A worker's connection to the keeper of one room, and its sight of the keeper's process.
//
// Thread rule: one io_context, one thread; handlers are called on it, never from within a call.
// Bounds: `packets_at_once` read before others get their turn. Fault model: a keeper that is killed
// is gone without a last packet; one that hangs is the same as a game that does. Errors: of
// start(); what cannot be sent is lost with the connection, which ends with the keeper.
#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/process/descriptor.hpp"
#include "worker/backend/process/room_files.hpp"
#include "worker/keeper/plan.hpp"
#include "worker/keeper/protocol.hpp"

namespace fixkeep::worker {

// The keeper of a room that an earlier run of the worker has started.
struct FoundKeeper {
  process::Descriptor connection;
  process::Descriptor watch;  // readable when it has ended
  pid_t process = 0;          // 0: it did not say who it is
  pid_t program = 0;          // of the game; 0: it has ended, or was not started yet
  std::vector<process::Descriptor> listeners;
};

class KeeperLink : public std::enable_shared_from_this<KeeperLink> {
 public:
  struct Handlers {
    std::function<void(keeper::Packet&& packet)> heard;
    std::function<void()> gone;  // the keeper is no more, and all it said was heard
  };

  // Starts a keeper with the plan. Errors: those of the system.
  [[nodiscard]] static Result<std::shared_ptr<KeeperLink>> start(
      boost::asio::io_context& context, const std::string& program, const RoomFiles& files,
      keeper::Plan plan, const std::vector<int>& listeners, Handlers handlers);

  // Goes on with one that runs already; it need not be our child.
  [[nodiscard]] static std::shared_ptr<KeeperLink> adopt(boost::asio::io_context& context,
                                                         FoundKeeper found, Handlers handlers);

  ~KeeperLink();
  KeeperLink(const KeeperLink&) = delete;
  KeeperLink& operator=(const KeeperLink&) = delete;

  void send(const keeper::Packet& packet);
  [[nodiscard]] pid_t process() const { return pid_; }

  // No handler is called any more; the keeper goes on without us, and so does its game.
  void leave();
  // No handler is called any more; waits until the keeper is gone, and kills it after the limit.
  void wait_until_gone(std::chrono::milliseconds limit);

 private:
  using Stream = boost::asio::posix::stream_descriptor;

  KeeperLink(boost::asio::io_context& context, pid_t pid, int watch, int connection,
             Handlers handlers);
  void listen();
  void watch();
  [[nodiscard]] bool hear();  // false: nothing more is to be heard

  pid_t pid_;
  Stream watch_;  // readable when the keeper has ended
  Stream connection_;
  Handlers handlers_;
  bool reaped_ = false;
};

}  // namespace fixkeep::worker
