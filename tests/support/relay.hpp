// A wire between two sockets on loopback that a test can cut, stall and mend: one listening port,
// whose connections are passed on to another port.
//
// cut     every connection is closed, and new ones are closed as soon as they are made
// stall   nothing is passed on any more, but nobody is told: what the sender writes waits
// mend    what was stalled goes on, new connections are passed on
// Thread rule: the thread of the io_context. Errors: a test that cannot listen throws.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>

namespace fixkeep::support {

class Relay {
 public:
  Relay(boost::asio::io_context& context, std::uint16_t target_port);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  void cut();
  void stall();
  void mend();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::support
