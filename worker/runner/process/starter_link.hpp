// A worker's starter of keepers: the starter's process and the socket for its orders. See
// worker/keeper/starter.hpp.
//
// The starter is started when the first room needs it. If the starter has ended, it is started
// again for the next room. A machine on which no starter can run thus has no disadvantage while no
// room starts. Fault model: the starter is killed at any moment. A stopped starter accepts orders
// but does not carry them out: the caller must notice this and call end(). Thread rule: one
// io_context and one thread. Bounds: the capacity of a socket. Only three calls wait: ready() for
// the start of a missing starter, end() and leave() for the starter's end. Errors: returned.
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

namespace fixkeep::worker {

class StarterLink {
 public:
  // `folders` is the search path of the starter's program.
  StarterLink(boost::asio::io_context& context, std::vector<std::string> folders)
      : context_(context), folders_(std::move(folders)) {}
  ~StarterLink() { end(); }
  StarterLink(const StarterLink&) = delete;
  StarterLink& operator=(const StarterLink&) = delete;

  // Starts a starter if none is known. Returns the error; empty: a starter exists.
  [[nodiscard]] std::string ready();
  // The keeper gets copies of these descriptors. The caller keeps the originals.
  struct Descriptors {
    int connection = -1;  // the keeper's end
    int note = -1;        // -1: no note
    const std::vector<int>& listeners;
  };
  // Hands over a room. Errors: system errors; would_block: the socket is full; broken_pipe or
  // connection_reset: the starter is gone, and ready() starts another starter.
  [[nodiscard]] Result<void> hand_over(const std::string& plan, const Descriptors& descriptors);
  // Calls the handler one time, when the socket accepts more orders. Does not call it if the
  // starter ends.
  void when_it_takes_more(std::function<void()> handler);

  // Returns 0 if there is no starter.
  [[nodiscard]] pid_t process() const { return process_; }
  // Kills the starter. The connections of its unread orders end.
  void end();
  // Lets the starter finish its orders and then end.
  void leave();

 private:
  using Stream = boost::asio::posix::stream_descriptor;

  [[nodiscard]] Result<void> start(const std::string& program);
  void watch();
  void collect();

  boost::asio::io_context& context_;
  std::vector<std::string> folders_;
  std::shared_ptr<Stream> watch_;  // readable when the starter has ended; null: no starter
  std::shared_ptr<Stream> socket_;
  pid_t process_ = 0;
};

}  // namespace fixkeep::worker
