#include "worker/sdk/grpc/grpc_calls.hpp"

#include <map>
#include <memory>
#include <string_view>

#include "worker/sdk/agones/calls.hpp"

namespace fixkeep::worker {
namespace {

// A call with one request and one answer, immediate or later.
class UnaryCall final : public LiveCall {
 public:
  using Perform = bool (*)(const std::shared_ptr<LiveCall>&, Session&, const grpc::Slice&);

  UnaryCall(const CallPlace& place, const grpc::CallbackServerContext& context, Perform perform)
      : LiveCall(place, context), perform_(perform) {}

 private:
  void heard(const grpc::ByteBuffer& message) override {
    const auto room = session();
    if (room == nullptr) return;
    grpc::Slice bytes;
    if (message.DumpToSingleSlice(&bytes).ok() && perform_(shared_from_this(), *room, bytes))
      return;
    end({grpc::StatusCode::INTERNAL, "the message is malformed"});
  }
  void closed() override { end({grpc::StatusCode::INTERNAL, "there is no message"}); }

  Perform perform_;
};

// Each message is a sign of life. The next message is read only after this message was processed,
// so a game cannot send faster than the worker reads.
class HealthStream final : public LiveCall {
 public:
  using LiveCall::LiveCall;

 private:
  void heard(const grpc::ByteBuffer&) override {
    const auto room = session();
    if (room == nullptr) return;
    room->health();
    read();
  }
  void closed() override { end_with(calls::sdk::Empty{}); }
};

class GameServerStream final : public LiveCall {
 public:
  using LiveCall::LiveCall;

 private:
  void heard(const grpc::ByteBuffer&) override {
    const auto room = session();
    if (room == nullptr) return;
    // A message may be under way when the room ends, so heard() may be called after the room's end.
    auto watch = room->watch([this, session = std::weak_ptr{room}] {
      const auto alive = session.lock();
      if (alive == nullptr) return end_without_room();
      write(calls::message_of(alive->game_server()));
    });
    if (!watch) return end(watch.error());
    watch_ = std::move(*watch);
    watch_->start();
  }
  void closed() override { end({grpc::StatusCode::INTERNAL, "there is no message"}); }
  void sent() override { watch_->sent(); }

  std::unique_ptr<Watchers::Watch> watch_;  // used only on the worker's thread
};

using Make = std::shared_ptr<LiveCall> (*)(const CallPlace&, const grpc::CallbackServerContext&);

template <class Stream>
std::shared_ptr<LiveCall> stream(const CallPlace& place,
                                 const grpc::CallbackServerContext& context) {
  return std::make_shared<Stream>(place, context);
}

template <auto function>
bool perform(const std::shared_ptr<LiveCall>& call, Session& session, const grpc::Slice& bytes) {
  using Messages = calls::MessagesOf<decltype(function)>;
  typename Messages::Request request;
  if (!request.ParseFromArray(bytes.begin(), static_cast<int>(bytes.size()))) return false;
  calls::perform(function, session, request,
                 calls::Answer<typename Messages::Reply>{[call](const auto& reply) {
                   reply ? call->end_with(*reply) : call->end(reply.error());
                 }});
  return true;
}

template <auto function>
std::shared_ptr<LiveCall> unary(const CallPlace& place,
                                const grpc::CallbackServerContext& context) {
  return std::make_shared<UnaryCall>(place, context, perform<function>);
}

const std::map<std::string_view, Make>& table() {
  static const std::map<std::string_view, Make> calls{
      {"/agones.dev.sdk.SDK/Ready", unary<&calls::ready>},
      {"/agones.dev.sdk.SDK/Allocate", unary<&calls::allocate>},
      {"/agones.dev.sdk.SDK/Shutdown", unary<&calls::shutdown>},
      {"/agones.dev.sdk.SDK/Health", stream<HealthStream>},
      {"/agones.dev.sdk.SDK/GetGameServer", unary<&calls::get_game_server>},
      {"/agones.dev.sdk.SDK/WatchGameServer", stream<GameServerStream>},
      {"/agones.dev.sdk.SDK/SetLabel", unary<&calls::set_label>},
      {"/agones.dev.sdk.SDK/SetAnnotation", unary<&calls::set_annotation>},
      {"/agones.dev.sdk.SDK/Reserve", unary<&calls::reserve>},
      {"/agones.dev.sdk.alpha.SDK/PlayerConnect", unary<&calls::player_connect>},
      {"/agones.dev.sdk.alpha.SDK/PlayerDisconnect", unary<&calls::player_disconnect>},
      {"/agones.dev.sdk.alpha.SDK/SetPlayerCapacity", unary<&calls::set_player_capacity>},
      {"/agones.dev.sdk.alpha.SDK/GetPlayerCapacity", unary<&calls::get_player_capacity>},
      {"/agones.dev.sdk.alpha.SDK/GetPlayerCount", unary<&calls::get_player_count>},
      {"/agones.dev.sdk.alpha.SDK/IsPlayerConnected", unary<&calls::is_player_connected>},
      {"/agones.dev.sdk.alpha.SDK/GetConnectedPlayers", unary<&calls::get_connected_players>},
      {"/agones.dev.sdk.beta.SDK/GetCounter", unary<&calls::get_counter>},
      {"/agones.dev.sdk.beta.SDK/UpdateCounter", unary<&calls::update_counter>},
      {"/agones.dev.sdk.beta.SDK/GetList", unary<&calls::get_list>},
      {"/agones.dev.sdk.beta.SDK/UpdateList", unary<&calls::update_list>},
      {"/agones.dev.sdk.beta.SDK/AddListValue", unary<&calls::add_list_value>},
      {"/agones.dev.sdk.beta.SDK/RemoveListValue", unary<&calls::remove_list_value>},
  };
  return calls;
}

}  // namespace

grpc::ServerGenericBidiReactor* GrpcCalls::CreateReactor(
    grpc::GenericCallbackServerContext* context) {
  const auto found = table().find(context->method());
  if (found == table().end()) return CallbackGenericService::CreateReactor(context);
  const auto call = found->second(place_, *context);
  call->begin();
  return call.get();
}

}  // namespace fixkeep::worker
