// Somebody on the wire between two nodes: passes TCP connections on, keeps what was said, and
// changes it when it is told to.
//
// Thread rule: made and destroyed by the test's thread; works on a thread of its own. Errors: a tap
// that cannot listen throws.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace fixkeep::attack {

class WireTap {
 public:
  enum class Mischief : std::uint8_t { none, flip_a_bit, say_twice };

  explicit WireTap(std::uint16_t target);
  ~WireTap();
  WireTap(const WireTap&) = delete;
  WireTap& operator=(const WireTap&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  // What each direction of each connection has said so far.
  [[nodiscard]] std::vector<std::string> said() const;
  [[nodiscard]] std::size_t connections() const { return connections_; }
  // Done once, with the next bytes that either side sends.
  void next(Mischief mischief) { mischief_ = mischief; }
  [[nodiscard]] bool done() const { return mischief_ == Mischief::none; }

 private:
  struct Line;
  void accept();
  void pass(const std::shared_ptr<Line>& line, bool from_target);

  std::uint16_t target_;
  boost::asio::io_context context_{1};
  boost::asio::ip::tcp::acceptor acceptor_;
  std::uint16_t port_;
  std::atomic<Mischief> mischief_ = Mischief::none;
  std::atomic<std::size_t> connections_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Line>> lines_;  // guarded by mutex_, as what they have said
  std::thread thread_;
};

}  // namespace fixkeep::attack
