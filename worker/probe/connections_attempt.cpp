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
      : Attempt(std::move(ended)), outcome_(std::move(outcome)) {}

  void begin(boost::asio::io_context& context) {
    boost::asio::post(context, [attempt = weak_from_this()] {
      if (const auto self = attempt.lock()) self->end(self->outcome_);
    });
  }

 private:
  Outcome outcome_at_limit() override { return outcome_; }

  Outcome outcome_;
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
