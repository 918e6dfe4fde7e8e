// A worker's connection to the keeper of one room. It also watches the keeper's process.
//
// A link exists before its keeper. The new keeper gets the other end of the connection. The keeper
// first reports its process: it then counts as born. If the connection ends before this report, the
// keeper has done nothing.
// Thread rule: one io_context and one thread. Handlers are called on that thread. Only hear_now()
// calls handlers before it returns. Bounds: at most `packets_at_once` packets are read before other
// handlers get their turn.
// Fault model: a killed keeper sends no last packet. A hanging keeper looks like a hanging game.
// Errors: see order(). A packet that cannot be sent is dropped, without an error.
#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "common/base/result.hpp"
#include "common/process/descriptor.hpp"
#include "worker/keeper/protocol.hpp"
#include "worker/runner/process/room_note.hpp"

namespace fixkeep::worker {

// The keeper of a room that an earlier run of the worker has started.
struct FoundKeeper {
  process::Descriptor connection;
  process::Descriptor watch;  // readable when the keeper has ended
  pid_t process = 0;          // 0: not reported
  pid_t program = 0;          // process of the game; 0: ended, or not started yet
  std::int32_t version = 1;   // the keeper's version of the protocol
  std::vector<process::Descriptor> listeners;
  std::optional<RoomNote> note;
};

class KeeperLink : public std::enable_shared_from_this<KeeperLink> {
 public:
  struct Handlers {
    std::function<void(keeper::Packet&& packet)> heard;
    // The keeper has ended or will never be born. All its packets were received.
    std::function<void()> gone;
  };

  // A new link, and the other end of its connection, which the new keeper gets.
  struct Ordered {
    std::shared_ptr<KeeperLink> link;
    process::Descriptor other_end;
  };
  [[nodiscard]] static Result<Ordered> order(boost::asio::io_context& context, Handlers handlers);

  // Continues with a running keeper. The keeper need not be our child.
  [[nodiscard]] static std::shared_ptr<KeeperLink> adopt(boost::asio::io_context& context,
                                                         FoundKeeper found, Handlers handlers);

  ~KeeperLink();
  KeeperLink(const KeeperLink&) = delete;
  KeeperLink& operator=(const KeeperLink&) = delete;

  void send(const keeper::Packet& packet);
  // Returns 0 if the keeper has not reported its birth.
  [[nodiscard]] pid_t process() const { return pid_; }
  // Returns the version that the keeper reported. Before that report it is 1, which every keeper
  // understands.
  [[nodiscard]] std::int32_t version() const { return version_; }
  // Says whether the keeper has reported its process.
  [[nodiscard]] bool born() const { return pid_ != 0; }
  // Kills the keeper if it is born. The worker must then find the keeper's other processes.
  void kill();

  // Returns the connection, for a caller that has to wait without an io_context.
  [[nodiscard]] int descriptor() { return connection_.native_handle(); }
  // Reads all packets that have arrived. Calls handlers.
  void hear_now();

  // Lets the keeper and its game continue without us. Afterwards no handler is called.
  void leave();
  // Waits until the keeper is gone and kills it after the limit. A keeper that is not born within
  // the limit never starts a game. Afterwards no handler is called.
  void wait_until_gone(std::chrono::milliseconds limit);

 private:
  using Stream = boost::asio::posix::stream_descriptor;

  KeeperLink(boost::asio::io_context& context, pid_t pid, int connection, Handlers handlers);
  void listen();
  void watch(int process);
  void wait_for_its_end();
  [[nodiscard]] bool hear();  // false: the connection has ended
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
