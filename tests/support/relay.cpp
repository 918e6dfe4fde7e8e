#include "tests/support/relay.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <functional>
#include <utility>
#include <vector>

namespace fixkeep::support {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

enum class State : std::uint8_t { open, stalled, cut };

// Two sockets and what goes from each to the other.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket near, asio::io_context& context)
      : ends_{std::move(near), tcp::socket{context}} {}

  void connect(std::uint16_t port) {
    ends_[1].async_connect({asio::ip::address_v4::loopback(), port},
                           [self = shared_from_this()](boost::system::error_code error) {
                             if (error) return self->close();
                             boost::system::error_code ignored;
                             for (auto& end : self->ends_) {
                               end.set_option(tcp::no_delay{true}, ignored);
                             }
                             self->read(0);
                             self->read(1);
                           });
  }

  void hold(bool stalled) {
    stalled_ = stalled;
    if (stalled) return;
    for (std::size_t from = 0; from < 2; ++from) {
      if (std::exchange(waiting_[from], 0) > 0) pass_on(from, sizes_[from]);
    }
  }

  void close() {
    boost::system::error_code ignored;
    for (auto& end : ends_) end.close(ignored);
  }
  [[nodiscard]] bool closed() const { return !ends_[0].is_open(); }

 private:
  void read(std::size_t from) {
    ends_[from].async_read_some(
        asio::buffer(buffers_[from]),
        [self = shared_from_this(), from](boost::system::error_code error, std::size_t size) {
          if (error) return self->close();
          self->sizes_[from] = size;
          if (self->stalled_) {
            self->waiting_[from] = 1;
          } else {
            self->pass_on(from, size);
          }
        });
  }

  void pass_on(std::size_t from, std::size_t size) {
    asio::async_write(
        ends_[1 - from], asio::buffer(buffers_[from], size),
        [self = shared_from_this(), from](boost::system::error_code error, std::size_t) {
          if (error) return self->close();
          self->read(from);
        });
  }

  std::array<tcp::socket, 2> ends_;
  std::array<std::array<char, 65536>, 2> buffers_{};
  std::array<std::size_t, 2> sizes_{};
  std::array<int, 2> waiting_{};
  bool stalled_ = false;
};

}  // namespace

struct Relay::Impl : std::enable_shared_from_this<Relay::Impl> {
  Impl(asio::io_context& in, std::uint16_t port)
      : context(in), acceptor(in, {asio::ip::address_v4::loopback(), 0}), target(port) {}

  void accept() {
    acceptor.async_accept(
        [self = shared_from_this()](boost::system::error_code error, tcp::socket socket) {
          if (error) return;  // the end
          std::erase_if(self->sessions, [](const auto& session) { return session->closed(); });
          if (self->state != State::cut) {
            auto session = std::make_shared<Session>(std::move(socket), self->context);
            session->hold(self->state == State::stalled);
            session->connect(self->target);
            self->sessions.push_back(std::move(session));
          }
          self->accept();
        });
  }

  void become(State wanted) {
    state = wanted;
    for (const auto& session : sessions) {
      if (state == State::cut) {
        session->close();
      } else {
        session->hold(state == State::stalled);
      }
    }
  }

  asio::io_context& context;
  tcp::acceptor acceptor;
  std::uint16_t target;
  State state = State::open;
  std::vector<std::shared_ptr<Session>> sessions;
};

Relay::Relay(asio::io_context& context, std::uint16_t target_port)
    : impl_(std::make_shared<Impl>(context, target_port)) {
  impl_->accept();
}

Relay::~Relay() {
  boost::system::error_code ignored;
  impl_->acceptor.close(ignored);
  impl_->become(State::cut);
}

std::uint16_t Relay::port() const {
  return impl_->acceptor.local_endpoint().port();
}
void Relay::cut() {
  impl_->become(State::cut);
}
void Relay::stall() {
  impl_->become(State::stalled);
}
void Relay::mend() {
  impl_->become(State::open);
}

}  // namespace fixkeep::support
