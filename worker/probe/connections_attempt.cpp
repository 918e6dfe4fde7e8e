#include <boost/asio/post.hpp>
#include <utility>

#include "worker/probe/attempt.hpp"

namespace fixkeep::probe {
namespace {

// The connections are already counted. Calls `ended` with the count later, after the driver has
// stored the attempt.
class ConnectionsAttempt final : public Attempt,
                                 public std::enable_shared_from_this<ConnectionsAttempt> {
 public:
  ConnectionsAttempt(Outcome outcome, Ended ended)
      : outcome_(std::move(outcome)), ended_(std::move(ended)) {}

  void begin(boost::asio::io_context& context) {
    boost::asio::post(context, [attempt = weak_from_this()] {
      const auto self = attempt.lock();
      if (!self) return;
      if (const auto ended = std::exchange(self->ended_, nullptr)) ended(self->outcome_);
    });
  }

  Outcome give_up() override {
    ended_ = nullptr;
    return outcome_;
  }

 private:
  Outcome outcome_;
  Ended ended_;  // null after it was called
};

}  // namespace

std::shared_ptr<Attempt> begin_connections(boost::asio::io_context& context, RoomSockets& sockets,
                                           Attempt::Ended ended) {
  const auto count = sockets.connections();
  Outcome outcome = Success{};
  if (count) {
    outcome = Success{PlayerCount{.players = *count}};
  } else {
    outcome = Failure{.kind = Failure::Kind::not_well, .text = count.error().message()};
  }
  auto attempt = std::make_shared<ConnectionsAttempt>(std::move(outcome), std::move(ended));
  attempt->begin(context);
  return attempt;
}

}  // namespace fixkeep::probe
