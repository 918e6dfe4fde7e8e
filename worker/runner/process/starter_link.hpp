// A worker's starter of keepers: the process and the socket on which it gets plans. See
// worker/keeper/starter.hpp.
//
// It is started on first need and again after it has ended: a starter that cannot run on this
// machine is not restarted while there is nothing to do. Fault model: it is killed at any moment.
// If stopped, it takes orders without doing them: the caller has to notice that and calls end().
// Thread rule: one io_context and one thread. Bounds: the capacity of a socket. Only three calls
// wait: ready() for the start of a missing starter, end() and leave() for its end. Errors:
// returned.
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
  // `folders`: search path of its program.
  StarterLink(boost::asio::io_context& context, std::vector<std::string> folders)
      : context_(context), folders_(std::move(folders)) {}
  ~StarterLink() { end(); }
  StarterLink(const StarterLink&) = delete;
  StarterLink& operator=(const StarterLink&) = delete;

  // A starter exists from then on as far as we know. The text says why there cannot be one.
  [[nodiscard]] std::string ready();
  // A keeper is born with these; the caller keeps all of them.
  struct Descriptors {
    int connection = -1;  // the keeper's end
    int note = -1;        // -1: no note
    const std::vector<int>& listeners;
  };
  // Hands over a room. Errors: system errors; would_block: its socket is full; broken_pipe or
  // connection_reset: it is gone and ready() starts another one.
  [[nodiscard]] Result<void> hand_over(const std::string& plan, const Descriptors& descriptors);
  // Calls it once when the socket takes more unless the starter ends before.
  void when_it_takes_more(std::function<void()> handler);

  // 0: no starter.
  [[nodiscard]] pid_t process() const { return process_; }
  // Kills it: its unread orders end with their connections.
  void end();
  // Lets it do its orders and end then.
  void leave();

 private:
  using Stream = boost::asio::posix::stream_descriptor;

  [[nodiscard]] Result<void> start(const std::string& program);
  void watch();
  void collect();

  boost::asio::io_context& context_;
  std::vector<std::string> folders_;
  std::shared_ptr<Stream> watch_;  // readable when it has ended; null: no starter
  std::shared_ptr<Stream> socket_;
  pid_t process_ = 0;
};

}  // namespace fixkeep::worker
