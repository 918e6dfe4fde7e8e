// The calls of gRPC while they live: one answer, a stream of signs of life, a watch.
//
// A call is known to gRPC, whose threads tell it what happened, and to our thread, which performs
// it. Each of them may end it; the first one counts.
// Invariants: 1. after Finish nothing more is started, and nothing that gRPC gave us is used: the
//                reply, or the name of the connection (see grpc_server.hpp).
//             2. gRPC's pointer to a call is good until OnDone.
// Thread rule: On… functions are called by any thread of gRPC, and from within StartRead,
// StartWrite and Finish, which is why the mutex is recursive. The rest is our thread's. Bounds: one
// message of each call. Errors: as a status of gRPC.
#pragma once

#include <grpcpp/grpcpp.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "worker/sdk/agones/calls.hpp"
#include "worker/sdk/errors.hpp"
#include "worker/sdk/grpc/sessions_by_peer.hpp"
#include "worker/sdk/session.hpp"
#include "worker/sdk/token.hpp"

namespace fixkeep::worker {

// What every call needs to come to our thread and to find its session there.
struct CallPlace {
  boost::asio::io_context& context;
  std::shared_ptr<SessionsByPeer> sessions;
};

[[nodiscard]] inline grpc::Status status_of(const SdkError& error) {
  return {static_cast<grpc::StatusCode>(error.code), error.message};
}

template <class Reactor>
class LiveCall : public Reactor, public std::enable_shared_from_this<LiveCall<Reactor>> {
 public:
  LiveCall(CallPlace place, const grpc::CallbackServerContext& context)
      : place_(std::move(place)), peer_(context.peer()) {
    const auto shown = context.client_metadata().equal_range("authorization");
    for (auto entry = shown.first; entry != shown.second; ++entry) {
      shown_.emplace_back(entry->second.data(), entry->second.size());
    }
  }

  // Null if the call has ended, now at the latest: its room has, or its client is not the room's.
  [[nodiscard]] std::shared_ptr<Session> session() {
    auto room = find_session();
    if (room == nullptr) {
      end_without_room();
      return nullptr;
    }
    for (const std::string& shown : shown_) {
      const auto right = check_token(room->game_server().facts, shown);
      if (right) continue;
      end(status_of(right.error()));
      return nullptr;
    }
    return room;
  }

  void end(const grpc::Status& status) {
    const std::lock_guard lock{mutex_};
    if (!std::exchange(ended_, true)) this->Finish(status);
  }
  void end_without_room() { end({grpc::StatusCode::UNAVAILABLE, "the room has ended"}); }

 protected:
  // `action` uses what gRPC gave us, or starts something; it is left out if the call has ended.
  template <class Action>
  void unless_ended(Action action) {
    const std::lock_guard lock{mutex_};
    if (!ended_) action();
  }

  template <class Action>
  void post(Action action) {
    boost::asio::post(place_.context, std::move(action));
  }

 private:
  [[nodiscard]] std::shared_ptr<Session> find_session() {
    const std::lock_guard lock{mutex_};
    return ended_ ? nullptr : place_.sessions->find(peer_);
  }

  template <class Call, class... Arguments>
  friend Call* start_call(Arguments&&... arguments);

  void OnCancel() override { end(grpc::Status::CANCELLED); }
  // The last reference goes on our thread, where what a call has of a session belongs.
  void OnDone() override {
    post([self = std::move(self_)]() mutable { self.reset(); });
  }

  CallPlace place_;
  std::string peer_;
  std::vector<std::string> shown_;  // as "authorization"
  std::recursive_mutex mutex_;
  bool ended_ = false;
  std::shared_ptr<LiveCall> self_;  // gRPC's reference
};

// Makes a call that begins with `Call::begin()`. Valid until gRPC calls OnDone.
template <class Call, class... Arguments>
[[nodiscard]] Call* start_call(Arguments&&... arguments) {
  const auto call = std::make_shared<Call>(std::forward<Arguments>(arguments)...);
  call->self_ = call;
  call->begin();
  return call.get();
}

// One question and one answer: `function` is one of calls.hpp.
template <auto function>
class UnaryCall final : public LiveCall<grpc::ServerUnaryReactor> {
 public:
  using Request = typename calls::MessagesOf<decltype(function)>::Request;
  using Reply = typename calls::MessagesOf<decltype(function)>::Reply;

  UnaryCall(CallPlace place, const grpc::CallbackServerContext& context, Request request,
            Reply& reply)
      : LiveCall(std::move(place), context), request_(std::move(request)), reply_(reply) {}

  void begin() {
    post([self = shared()] { self->perform(); });
  }

 private:
  std::shared_ptr<UnaryCall> shared() {
    return std::static_pointer_cast<UnaryCall>(this->shared_from_this());
  }

  void perform() {
    const auto room = session();
    if (room == nullptr) return;
    calls::perform(function, *room, request_,
                   calls::Answer<Reply>{
                       [self = shared()](const SdkResult<Reply>& reply) { self->answer(reply); }});
  }

  void answer(const SdkResult<Reply>& reply) {
    if (!reply) return end(status_of(reply.error()));
    unless_ended([&] { reply_ = *reply; });
    end(grpc::Status::OK);
  }

  Request request_;
  Reply& reply_;
};

// A message is a sign of life. The next one is read when the session has heard of this one, so a
// game cannot send faster than we hear.
class HealthStream final : public LiveCall<grpc::ServerReadReactor<calls::sdk::Empty>> {
 public:
  using LiveCall::LiveCall;
  void begin() { StartRead(&message_); }

 private:
  void OnReadDone(bool ok) override;
  void hear();

  calls::sdk::Empty message_;
};

class GameServerStream final : public LiveCall<grpc::ServerWriteReactor<calls::sdk::GameServer>> {
 public:
  using LiveCall::LiveCall;
  void begin();

 private:
  void OnWriteDone(bool ok) override;
  void watch();

  calls::sdk::GameServer message_;
  std::unique_ptr<Watchers::Watch> watch_;  // our thread's
};

}  // namespace fixkeep::worker
