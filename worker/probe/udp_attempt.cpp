#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/udp.hpp>
#include <utility>

#include "worker/probe/attempt.hpp"

namespace fixkeep::probe {
namespace {

namespace asio = boost::asio;
using asio::ip::udp;

class UdpAttempt final : public Attempt, public std::enable_shared_from_this<UdpAttempt> {
 public:
  UdpAttempt(asio::io_context& context, RoomSockets& sockets, const std::string& port,
             Dialog dialog, Ended ended)
      : Attempt(std::move(ended)),
        sockets_(sockets),
        port_{Protocol::udp, port},
        dialog_(std::move(dialog)),
        socket_(context) {}

  void begin() {
    const auto endpoint = sockets_.endpoint_of(port_.name);
    const udp::endpoint target{endpoint.address, endpoint.port};
    boost::system::error_code error;
    // Connects the socket: the kernel then reports a closed port, and packets come only from the
    // target.
    socket_.open(target.protocol(), error);
    if (!error) socket_.connect(target, error);
    if (!error) socket_.non_blocking(true, error);
    auto failed = error ? not_sent(error) : send();
    if (failed) return end(std::move(*failed));
    wait();
  }

  void ask_again() override {
    if (auto failed = send()) end(std::move(*failed));
  }

 private:
  Outcome outcome_at_limit() override {
    if (auto outcome = receive()) return std::move(*outcome);
    return failure();
  }

  void wait() {
    socket_.async_wait(udp::socket::wait_read,
                       [attempt = weak_from_this()](boost::system::error_code error) {
                         const auto self = attempt.lock();
                         if (self == nullptr || error || self->has_ended()) return;
                         if (auto outcome = self->receive()) {
                           self->end(std::move(*outcome));
                         } else {
                           self->wait();
                         }
                       });
  }

  // Returns nullopt while the answer is not complete.
  std::optional<Outcome> receive() {
    std::array<char, most_datagram_bytes> buffer;
    for (;;) {
      boost::system::error_code error;
      const auto size = socket_.receive(asio::buffer(buffer), 0, error);
      if (error == asio::error::would_block) return std::nullopt;
      if (error) return not_sent(error);
      if (++datagrams_ > most_datagrams) return failure();
      switch (std::visit([&](auto& talk) { return talk.take({buffer.data(), size}); }, dialog_)) {
        case Heard::nothing: break;
        case Heard::question:
          if (auto failed = send()) return std::move(*failed);
          break;
        case Heard::answer: return answered();
      }
    }
  }

  Outcome answered() {
    if (auto wrong = sockets_.wrong_answerer(port_)) return std::move(*wrong);
    return Success{std::visit([](const auto& talk) { return talk.players(); }, dialog_)};
  }

  std::optional<Failure> send() {
    const auto packet = std::visit([](const auto& talk) { return talk.question(); }, dialog_);
    boost::system::error_code error;
    socket_.send(asio::buffer(packet), 0, error);
    // A full queue of the kernel is not a failure: the packet counts as lost in the network.
    if (!error || error == asio::error::would_block || error == asio::error::no_buffer_space) {
      return std::nullopt;
    }
    return not_sent(error);
  }

  static Failure not_sent(const boost::system::error_code& error) {
    if (error == asio::error::connection_refused) return {.kind = Failure::Kind::nobody};
    return {.kind = Failure::Kind::not_sent, .text = error.message()};
  }

  Failure failure() const {
    return std::visit([](const auto& talk) { return talk.failure(); }, dialog_);
  }

  RoomSockets& sockets_;
  AskedPort port_;
  Dialog dialog_;
  udp::socket socket_;
  int datagrams_ = 0;
};

}  // namespace

std::shared_ptr<Attempt> begin_udp(boost::asio::io_context& context, RoomSockets& sockets,
                                   const std::string& port, Dialog dialog, Attempt::Ended ended) {
  auto attempt =
      std::make_shared<UdpAttempt>(context, sockets, port, std::move(dialog), std::move(ended));
  attempt->begin();
  return attempt;
}

}  // namespace fixkeep::probe
