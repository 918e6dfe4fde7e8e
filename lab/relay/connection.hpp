// One connection over a wire: two sockets and the delayed bytes between them.
//
// Bytes, the end of a direction and a reset reach the other side after the wire's delay. A
// direction with a full schedule is not read: a slow receiver holds its sender up as without the
// relay.
// Fault model: each side may do anything at any time. Thread rule: the thread of the io_context.
// Bounds: Schedule::capacity bytes each way. Errors: a side that is gone is a reset for the other.
#pragma once

#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>

#include "lab/relay/core/schedule.hpp"

namespace fixkeep::relay {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // `near` has dialled the wire; `random` gives each direction a generator of its own.
  Connection(boost::asio::ip::tcp::socket near, const Conditions& conditions, Random& random);

  // Dials `target` when the line would have let the connection through. Lives until it is closed.
  void start(const boost::asio::ip::tcp::endpoint& target);
  void change(const Conditions& conditions);

 private:
  using Socket = boost::asio::ip::tcp::socket;
  using Self = std::shared_ptr<Connection>;

  struct Direction {
    Socket& from;
    Socket& to;
    Schedule schedule;
    boost::asio::steady_timer departure;  // waits for what leaves next; cancelled on an arrival
    boost::asio::steady_timer room;       // waits while the schedule is full
    bool finished = false;
  };

  static boost::asio::awaitable<void> open(Self self, boost::asio::ip::tcp::endpoint target);
  static boost::asio::awaitable<void> receive(Self self, Direction& line);
  static boost::asio::awaitable<void> send(Self self, Direction& line);
  static void end(Direction& line, Ending ending);
  Direction& back(const Direction& line) { return &line == &out_ ? in_ : out_; }
  void finish(Direction& line);
  void reset(Direction& line);
  void close();

  Duration opening_;
  Socket near_;
  Socket far_;
  Direction out_;  // direction from near to far
  Direction in_;
  bool closed_ = false;
};

}  // namespace fixkeep::relay
