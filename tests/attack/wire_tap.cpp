#include "tests/attack/wire_tap.hpp"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

namespace fixkeep::attack {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

struct WireTap::Line {
  struct End {
    explicit End(asio::io_context& context) : socket(context) {}
    tcp::socket socket;
    std::array<char, 16U << 10U> input{};
    std::string said;
    std::string passed;  // being written to the other end
  };
  explicit Line(asio::io_context& context) : caller(context), target(context) {}
  void close() {
    error_code ignored;
    caller.socket.close(ignored);
    target.socket.close(ignored);
  }
  End caller;
  End target;
};

WireTap::WireTap(std::uint16_t target)
    : target_(target),
      acceptor_(context_, {asio::ip::address_v4::loopback(), 0}),
      port_(acceptor_.local_endpoint().port()) {
  accept();
  thread_ = std::thread{[this] { context_.run(); }};
}

WireTap::~WireTap() {
  context_.stop();
  thread_.join();
}

std::vector<std::string> WireTap::said() const {
  const std::lock_guard lock{mutex_};
  std::vector<std::string> all;
  for (const auto& line : lines_) {
    all.push_back(line->caller.said);
    all.push_back(line->target.said);
  }
  return all;
}

void WireTap::accept() {
  auto line = std::make_shared<Line>(context_);
  acceptor_.async_accept(line->caller.socket, [this, line](error_code error) {
    if (error) return;
    accept();
    line->target.socket.async_connect(
        {asio::ip::address_v4::loopback(), target_}, [this, line](error_code failed) {
          if (failed) return line->close();
          error_code ignored;
          line->caller.socket.set_option(tcp::no_delay{true}, ignored);
          line->target.socket.set_option(tcp::no_delay{true}, ignored);
          ++connections_;
          {
            const std::lock_guard lock{mutex_};
            lines_.push_back(line);
          }
          pass(line, false);
          pass(line, true);
        });
  });
}

void WireTap::pass(const std::shared_ptr<Line>& line, bool from_target) {
  auto& from = from_target ? line->target : line->caller;
  auto& to = from_target ? line->caller : line->target;
  from.socket.async_read_some(asio::buffer(from.input), [this, line, from_target, &from, &to](
                                                            error_code error, size_t got) {
    if (error) return line->close();
    from.passed.assign(from.input.data(), got);
    switch (mischief_.exchange(Mischief::none)) {
      case Mischief::none: break;
      case Mischief::flip_a_bit:
        from.passed[got / 2] = static_cast<char>(from.passed[got / 2] ^ 1);
        break;
      case Mischief::say_twice: from.passed += from.passed; break;
    }
    {
      const std::lock_guard lock{mutex_};
      from.said += from.passed;
    }
    asio::async_write(to.socket, asio::buffer(from.passed),
                      [this, line, from_target](error_code failed, size_t) {
                        if (failed) return line->close();
                        pass(line, from_target);
                      });
  });
}

}  // namespace fixkeep::attack
