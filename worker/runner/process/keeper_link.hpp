// A worker's connection to the keeper of one room and its sight of the keeper's process.
//
// A link exists before its keeper: the keeper is born with the other end and names its process
// before it does anything else. If the other end closes before that, nothing has begun.
// Thread rule: one io_context and one thread. Handlers are called on it and never from within a
// call except hear_now(). Bounds: `packets_at_once` read before others get their turn. Fault model:
// a killed keeper is gone without a last packet. A hanging keeper is the same as a hanging game.
// Errors: see order(). A packet that cannot be sent is lost with the connection: it ends with the
// keeper.
#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/process/descriptor.hpp"
#include "worker/keeper/protocol.hpp"
#include "worker/runner/process/room_note.hpp"

namespace fixkeep::worker {

// The keeper of a room that an earlier run of the worker has started.
struct FoundKeeper {
  process::Descriptor connection;
  process::Descriptor watch;  // readable when it has ended
  pid_t process = 0;          // 0: not told
  pid_t program = 0;          // process of the game; 0: ended, or not started yet
  std::int32_t version = 1;   // its version of the protocol
  std::vector<process::Descriptor> listeners;
  std::optional<RoomNote> note;
};

class KeeperLink : public std::enable_shared_from_this<KeeperLink> {
 public:
  struct Handlers {
    std::function<void(keeper::Packet&& packet)> heard;
    // The keeper is gone or will never be and all its packets were heard.
    std::function<void()> gone;
  };

  // A link and the end with which its keeper is born. Errors: system errors.
  struct Ordered {
    std::shared_ptr<KeeperLink> link;
    process::Descriptor other_end;
  };
  [[nodiscard]] static Result<Ordered> order(boost::asio::io_context& context, Handlers handlers);

  // Goes on with a running keeper. It need not be our child.
  [[nodiscard]] static std::shared_ptr<KeeperLink> adopt(boost::asio::io_context& context,
                                                         FoundKeeper found, Handlers handlers);

  ~KeeperLink();
  KeeperLink(const KeeperLink&) = delete;
  KeeperLink& operator=(const KeeperLink&) = delete;

  void send(const keeper::Packet& packet);
  // 0: not born yet as far as we have heard.
  [[nodiscard]] pid_t process() const { return pid_; }
  // Its version of the protocol as far as we have heard: every keeper understands 1.
  [[nodiscard]] std::int32_t version() const { return version_; }
  // It has named its process.
  [[nodiscard]] bool born() const { return pid_ != 0; }
  // Kills the keeper if it is born. The worker then has to find the processes that it started.
  void kill();

  // The connection for a caller that has to wait without an io_context.
  [[nodiscard]] int descriptor() { return connection_.native_handle(); }
  // Hears all that has come. Calls handlers.
  void hear_now();

  // No handler is called any more; the keeper and its game go on without us.
  void leave();
  // No handler is called any more. Waits until the keeper is gone and kills it after the limit. A
  // keeper that is not born by then never starts a game.
  void wait_until_gone(std::chrono::milliseconds limit);

 private:
  using Stream = boost::asio::posix::stream_descriptor;

  KeeperLink(boost::asio::io_context& context, pid_t pid, int connection, Handlers handlers);
  void listen();
  void watch(int process);
  void wait_for_its_end();
  [[nodiscard]] bool hear();  // false: the end
  void heard(keeper::Packet&& packet, std::vector<process::Descriptor> descriptors);
  void gone();

  pid_t pid_;
  std::int32_t version_ = 1;
  Stream watch_;  // readable when the keeper has ended; closed: not born
  Stream connection_;
  Handlers handlers_;
  bool gone_ = false;
};

}  // namespace fixkeep::worker
