// A worker's starter of keepers: the process, and the socket on which it is handed plans. See
// worker/keeper/starter.hpp.
//
// It is started when it is needed first, and again after it has ended: a starter that cannot run on
// this machine is not started over and over while nothing is to be done.
// Fault model: it is killed at any moment, or stopped, and then takes orders without doing them;
// the caller has to notice that nothing becomes of them, and calls end().
// Thread rule: one io_context, one thread. Bounds: what a socket holds. No call waits, but for
// ready(), which waits for the start of a program when there is no starter, and end() and leave(),
// which wait for its end. Errors: returned.
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
  // `folders`: where its program is looked for.
  StarterLink(boost::asio::io_context& context, std::vector<std::string> folders)
      : context_(context), folders_(std::move(folders)) {}
  ~StarterLink() { end(); }
  StarterLink(const StarterLink&) = delete;
  StarterLink& operator=(const StarterLink&) = delete;

  // There is a starter from then on, as far as we know. The text says why there cannot be one.
  [[nodiscard]] std::string ready();
  // A keeper is born with these; all of them stay the caller's.
  struct Descriptors {
    int connection = -1;  // its end
    int note = -1;        // -1: there is none
    const std::vector<int>& listeners;
  };
  // Hands over a room. Errors: those of the system; would_block: its socket is full;
  // broken_pipe, connection_reset: it is gone, and ready() starts another one.
  [[nodiscard]] Result<void> hand_over(const std::string& plan, const Descriptors& descriptors);
  // Calls it once when the socket takes more, unless the starter ends before.
  void when_it_takes_more(std::function<void()> handler);

  // 0: there is none.
  [[nodiscard]] pid_t process() const { return process_; }
  // Kills it: what it has not looked at ends with its connections.
  void end();
  // Lets it do what it was handed, and end then.
  void leave();

 private:
  using Stream = boost::asio::posix::stream_descriptor;

  [[nodiscard]] Result<void> start(const std::string& program);
  void watch();
  void collect();

  boost::asio::io_context& context_;
  std::vector<std::string> folders_;
  std::shared_ptr<Stream> watch_;  // readable when it has ended; null: there is none
  std::shared_ptr<Stream> socket_;
  pid_t process_ = 0;
};

}  // namespace fixkeep::worker
