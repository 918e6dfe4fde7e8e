// One connection over a wire: two sockets, and the delayed bytes between them.
//
// Bytes, the end of a direction and a reset reach the other side after the wire's delay. If the
// schedule of a direction is full, the relay reads no more bytes for it. Thus a slow receiver
// blocks its sender, as it would without the relay. Fault model: each side may send, close or reset
// at any time. Thread rule: the thread of the io_context.
// Bounds: Schedule::capacity bytes each way. Errors: if one side disconnects, the other side gets a
// reset.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>

#include "lab/relay/core/schedule.hpp"

namespace fixkeep::relay {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // `near` has dialled the wire. `random` seeds a separate generator for each direction.
  Connection(boost::asio::ip::tcp::socket near, const Conditions& conditions, Random& random);

  // Waits for the time that a connection over this wire needs to open (opening_time()), then dials
  // `target`. The object lives until the connection is closed.
  void start(const boost::asio::ip::tcp::endpoint& target);
  void change(const Conditions& conditions);

 private:
  using Socket = boost::asio::ip::tcp::socket;
  using Self = std::shared_ptr<Connection>;

  struct Direction {
    Socket& from;
    Socket& to;
    Schedule schedule;
    boost::asio::steady_timer departure;  // expires at the next departure; cancelled on an arrival
    boost::asio::steady_timer room;       // runs while the schedule is full
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
  bool cut_;  // cut at opening
  Socket near_;
  Socket far_;
  Direction out_;  // direction from near to far
  Direction in_;
  bool closed_ = false;
};

}  // namespace fixkeep::relay
