#include "worker/sdk/grpc/live_call.hpp"

#include <boost/asio/post.hpp>
#include <utility>

#include "worker/sdk/token.hpp"

namespace fixkeep::worker {
namespace {

grpc::ByteBuffer bytes_of(const google::protobuf::MessageLite& message) {
  const grpc::Slice bytes{message.SerializeAsString()};
  return {&bytes, 1};
}

}  // namespace

LiveCall::LiveCall(CallPlace place, const grpc::CallbackServerContext& context)
    : place_(std::move(place)), peer_(context.peer()) {
  const auto shown = context.client_metadata().equal_range("authorization");
  for (auto entry = shown.first; entry != shown.second; ++entry) {
    shown_.emplace_back(std::string{entry->second.data(), entry->second.size()});
  }
  if (shown_.empty()) shown_.emplace_back();
}

void LiveCall::begin() {
  self_ = shared_from_this();
  read();
}

void LiveCall::end(const grpc::Status& status) {
  const std::lock_guard lock{mutex_};
  if (!std::exchange(ended_, true)) Finish(status);
}

void LiveCall::end(const SdkError& error) {
  end({static_cast<grpc::StatusCode>(error.code), error.message});
}

void LiveCall::end_without_room() {
  end(SdkError{SdkCode::unavailable, "the room has ended"});
}

void LiveCall::end_with(const google::protobuf::MessageLite& reply) {
  const std::lock_guard lock{mutex_};
  if (std::exchange(ended_, true)) return;
  sent_ = bytes_of(reply);
  StartWriteAndFinish(&sent_, {}, grpc::Status::OK);
}

std::shared_ptr<Session> LiveCall::session() {
  auto room = find_session();
  if (room == nullptr) {
    end_without_room();
    return nullptr;
  }
  for (const auto& shown : shown_) {
    const auto right = check_token(room->game_server().facts, shown);
    if (right) continue;
    end(right.error());
    return nullptr;
  }
  place_.sessions->let_in(peer_);
  return room;
}

std::shared_ptr<Session> LiveCall::find_session() {
  const std::lock_guard lock{mutex_};
  return ended_ ? nullptr : place_.sessions->find(peer_);
}

void LiveCall::read() {
  const std::lock_guard lock{mutex_};
  if (!ended_) StartRead(&received_);
}

void LiveCall::write(const google::protobuf::MessageLite& message) {
  const std::lock_guard lock{mutex_};
  if (ended_) return;
  sent_ = bytes_of(message);
  StartWrite(&sent_);
}

void LiveCall::post(void (*action)(LiveCall&)) {
  boost::asio::post(place_.context, [self = shared_from_this(), action] { action(*self); });
}

void LiveCall::OnReadDone(bool ok) {
  if (!ok) return closed();
  post([](LiveCall& self) { self.heard(self.received_); });
}

void LiveCall::OnWriteDone(bool ok) {
  if (!ok) return end(grpc::Status::CANCELLED);
  post([](LiveCall& self) { self.sent(); });
}

// Drops the last reference on the worker's thread: a call can own a watch of the session, which
// must be destroyed there.
void LiveCall::OnDone() {
  boost::asio::post(place_.context, [self = std::move(self_)]() mutable { self.reset(); });
}

}  // namespace fixkeep::worker
