// A worker's connection to the keeper of one room, and its sight of the keeper's process.
//
// A link is there before its keeper: the keeper is born with the other end, and names its process
// before it does anything else. If the other end closes before that, nothing has begun.
// Thread rule: one io_context, one thread; handlers are called on it, never from within a call, but
// for hear_now(). Bounds: `packets_at_once` read before others get their turn. Fault model: a
// keeper that is killed is gone without a last packet; one that hangs is the same as a game that
// does. Errors: of order(); what cannot be sent is lost with the connection, which ends with the
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
  pid_t process = 0;          // 0: it did not say who it is
  pid_t program = 0;          // of the game; 0: it has ended, or was not started yet
  std::int32_t version = 1;   // that it speaks
  std::vector<process::Descriptor> listeners;
  std::optional<RoomNote> note;
};

class KeeperLink : public std::enable_shared_from_this<KeeperLink> {
 public:
  struct Handlers {
    std::function<void(keeper::Packet&& packet)> heard;
    // The keeper is no more, or will never be, and all it said was heard.
    std::function<void()> gone;
  };

  // A link, and the end that its keeper is to be born with. Errors: those of the system.
  struct Ordered {
    std::shared_ptr<KeeperLink> link;
    process::Descriptor other_end;
  };
  [[nodiscard]] static Result<Ordered> order(boost::asio::io_context& context, Handlers handlers);

  // Goes on with one that runs already; it need not be our child.
  [[nodiscard]] static std::shared_ptr<KeeperLink> adopt(boost::asio::io_context& context,
                                                         FoundKeeper found, Handlers handlers);

  ~KeeperLink();
  KeeperLink(const KeeperLink&) = delete;
  KeeperLink& operator=(const KeeperLink&) = delete;

  void send(const keeper::Packet& packet);
  // 0: it is not born yet, as far as we have heard.
  [[nodiscard]] pid_t process() const { return pid_; }
  // That it speaks, as far as we have heard: every keeper understands 1.
  [[nodiscard]] std::int32_t version() const { return version_; }
  // It has named its process.
  [[nodiscard]] bool born() const { return pid_ != 0; }
  // The keeper itself, if it is born; what it has started is the worker's to find then.
  void kill();

  // The connection, for a caller that has to wait without an io_context.
  [[nodiscard]] int descriptor() { return connection_.native_handle(); }
  // Hears what has come by now. Calls handlers.
  void hear_now();

  // No handler is called any more; the keeper goes on without us, and so does its game.
  void leave();
  // No handler is called any more; waits until the keeper is gone, and kills it after the limit.
  // One that is not born by then never starts a game.
  void wait_until_gone(std::chrono::milliseconds limit);

 private:
  using Stream = boost::asio::posix::stream_descriptor;

  KeeperLink(boost::asio::io_context& context, pid_t pid, int connection, Handlers handlers);
  void listen();
  void watch(int process);
  void wait_for_its_end();
  [[nodiscard]] bool hear();  // false: nothing more is to be heard
  void heard(keeper::Packet&& packet, std::vector<process::Descriptor> descriptors);
  void gone();

  pid_t pid_;
  std::int32_t version_ = 1;
  Stream watch_;  // readable when the keeper has ended; closed: it is not born
  Stream connection_;
  Handlers handlers_;
  bool gone_ = false;
};

}  // namespace fixkeep::worker
