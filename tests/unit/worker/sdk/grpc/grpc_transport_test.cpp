#include "worker/sdk/grpc/grpc_transport.hpp"

#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>

#include <future>

#include "tests/unit/worker/sdk/grpc/grpc_game.hpp"

namespace fixkeep::worker::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using GrpcTransportTest = GrpcTest;

calls::sdk::KeyValue key_value(const std::string& key, const std::string& value) {
  calls::sdk::KeyValue message;
  message.set_key(key);
  message.set_value(value);
  return message;
}

TEST_F(GrpcTransportTest, the_life_of_a_game) {
  calls::sdk::Duration duration;
  duration.set_seconds(30);
  EXPECT_TRUE(call(*played->sdk, &Sdk::Reserve, duration).status.ok());
  EXPECT_EQ(state(), "Reserved");
  EXPECT_TRUE(call(*played->sdk, &Sdk::Ready, Empty{}).status.ok());
  EXPECT_EQ(state(), "Ready");
  EXPECT_TRUE(call(*played->sdk, &Sdk::Allocate, Empty{}).status.ok());
  EXPECT_EQ(state(), "Allocated");
  EXPECT_TRUE(call(*played->sdk, &Sdk::Shutdown, Empty{}).status.ok());
  EXPECT_EQ(state(), "Shutdown");
  EXPECT_THAT(played->room.happened, ElementsAre("timer 30", "ready", "shutdown"));
}

TEST_F(GrpcTransportTest, a_token_has_to_be_right_if_there_is_one) {
  const auto shutdown = [this](const std::string& shown) {
    return game([&] {
      Bounded client;
      client.AddMetadata("authorization", shown);
      Empty reply;
      return played->sdk->Shutdown(&client, Empty{}, &reply).error_code();
    });
  };
  const auto watch = [this](const std::string& shown) {
    return game([&] {
      Bounded client;
      client.AddMetadata("authorization", shown);
      calls::sdk::GameServer object;
      const auto stream = played->sdk->WatchGameServer(&client, Empty{});
      EXPECT_FALSE(stream->Read(&object));
      return stream->Finish().error_code();
    });
  };
  const auto health = [this](const std::string& shown) {
    return game([&] {
      Bounded client;
      client.AddMetadata("authorization", shown);
      Empty reply;
      const auto stream = played->sdk->Health(&client, &reply);
      stream->Write(Empty{});
      stream->WritesDone();
      return stream->Finish().error_code();
    });
  };
  for (const char* const wrong : {"Bearer the token of w1-1-2", "the token of w1-1-1", "Bearer "}) {
    EXPECT_EQ(shutdown(wrong), grpc::StatusCode::UNAUTHENTICATED) << wrong;
    EXPECT_EQ(watch(wrong), grpc::StatusCode::UNAUTHENTICATED) << wrong;
    EXPECT_EQ(health(wrong), grpc::StatusCode::UNAUTHENTICATED) << wrong;
  }
  EXPECT_THAT(played->room.happened, IsEmpty());
  EXPECT_EQ(shutdown("Bearer the token of w1-1-1"), grpc::StatusCode::OK);
  EXPECT_THAT(played->room.happened, ElementsAre("shutdown"));
}

TEST_F(GrpcTransportTest, a_token_has_to_be_shown_where_others_can_dial) {
  const Played guarded{context, *server, "w1-1-2", true};
  const auto ready = [&](const char* shown) {
    return game([&] {
      Bounded client;
      if (shown != nullptr) client.AddMetadata("authorization", shown);
      Empty reply;
      return guarded.sdk->Ready(&client, Empty{}, &reply).error_code();
    });
  };
  EXPECT_EQ(ready(nullptr), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(ready("Bearer the token of w1-1-1"), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_THAT(guarded.room.happened, IsEmpty());
  EXPECT_EQ(ready("Bearer the token of w1-1-2"), grpc::StatusCode::OK);
}

TEST_F(GrpcTransportTest, the_game_server_and_its_metadata) {
  EXPECT_TRUE(call(*played->sdk, &Sdk::SetLabel, key_value("map", "ice")).status.ok());
  EXPECT_TRUE(call(*played->sdk, &Sdk::SetAnnotation, key_value("note", "any text")).status.ok());
  const auto refused = call(*played->sdk, &Sdk::SetLabel, key_value("not a key", "")).status;
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  const auto shown = call(*played->sdk, &Sdk::GetGameServer, Empty{}).reply;
  EXPECT_EQ(shown.object_meta().name(), "w1-1-1");
  EXPECT_EQ(shown.object_meta().resource_version(), "3");
  EXPECT_EQ(shown.object_meta().creation_timestamp(), 1'700'000'000);
  EXPECT_EQ(shown.object_meta().labels().at("agones.dev/sdk-map"), "ice");
  EXPECT_EQ(shown.object_meta().annotations().at("agones.dev/sdk-note"), "any text");
  EXPECT_EQ(shown.spec().health().period_seconds(), 5);
  EXPECT_EQ(shown.status().ports(0).port(), 20001);
  EXPECT_EQ(shown.status().counters().at("rooms").capacity(), 10);
  EXPECT_THAT(shown.status().lists().at("players").values(), ElementsAre("test0"));
}

TEST_F(GrpcTransportTest, the_result_of_the_room) {
  const auto says = [&](const char* value) {
    return call(*played->sdk, &Sdk::SetAnnotation, key_value("fixkeep/result", value)).status;
  };
  EXPECT_TRUE(says("1").ok());
  EXPECT_EQ(says("2").error_code(), grpc::StatusCode::ALREADY_EXISTS);
  EXPECT_EQ(says("red").error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(GrpcTransportTest, health_is_one_stream_for_the_life_of_the_game) {
  game([&] {
    Bounded client;
    Empty reply;
    const auto stream = played->sdk->Health(&client, &reply);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(stream->Write(Empty{}));
    stream->WritesDone();
    EXPECT_TRUE(stream->Finish().ok());
    return true;
  });
  EXPECT_THAT(played->room.happened, ElementsAre("health", "health", "health"));
}

TEST_F(GrpcTransportTest, a_watch_sends_the_object_at_once_and_after_every_change) {
  Bounded client;
  std::unique_ptr<grpc::ClientReader<calls::sdk::GameServer>> stream;
  const auto next = [&] {
    calls::sdk::GameServer shown;
    EXPECT_TRUE(stream->Read(&shown));
    return shown.status().state();
  };
  EXPECT_EQ(game([&] {
              stream = played->sdk->WatchGameServer(&client, Empty{});
              return next();
            }),
            "Scheduled");
  played->room.session->ready();
  EXPECT_EQ(game(next), "Ready");
  played->room.session->allocate();
  EXPECT_EQ(game(next), "Allocated");
  client.TryCancel();
  EXPECT_FALSE(game([&] { return stream->Finish().ok(); }));
}

TEST_F(GrpcTransportTest, player_tracking) {
  auto& alpha = *played->alpha;
  EXPECT_TRUE(call(alpha, &Alpha::PlayerConnect, player("ann")).reply.bool_());
  const auto again = call(alpha, &Alpha::PlayerConnect, player("ann"));
  EXPECT_TRUE(again.status.ok());
  EXPECT_FALSE(again.reply.bool_());
  EXPECT_FALSE(call(alpha, &Alpha::PlayerConnect, player("stranger")).reply.bool_());
  EXPECT_TRUE(call(alpha, &Alpha::IsPlayerConnected, player("ann")).reply.bool_());
  EXPECT_EQ(call(alpha, &Alpha::GetPlayerCount, calls::alpha::Empty{}).reply.count(), 1);
  EXPECT_THAT(call(alpha, &Alpha::GetConnectedPlayers, calls::alpha::Empty{}).reply.list(),
              ElementsAre("ann"));
  calls::alpha::Count one;
  one.set_count(1);
  EXPECT_TRUE(call(alpha, &Alpha::SetPlayerCapacity, one).status.ok());
  EXPECT_EQ(call(alpha, &Alpha::GetPlayerCapacity, calls::alpha::Empty{}).reply.count(), 1);
  EXPECT_EQ(call(alpha, &Alpha::PlayerConnect, player("bob")).status.error_code(),
            grpc::StatusCode::UNKNOWN);
  EXPECT_TRUE(call(alpha, &Alpha::PlayerDisconnect, player("ann")).reply.bool_());
  EXPECT_FALSE(call(alpha, &Alpha::PlayerDisconnect, player("ann")).reply.bool_());
  EXPECT_EQ(call(alpha, &Alpha::PlayerConnect, player("")).status.error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(GrpcTransportTest, counters_with_wrapped_zeros_and_negative_differences) {
  const auto update = [&](const std::function<void(calls::beta::CounterUpdateRequest&)>& fill) {
    calls::beta::UpdateCounterRequest request;
    request.mutable_counterupdaterequest()->set_name("rooms");
    fill(*request.mutable_counterupdaterequest());
    return call(*played->beta, &Beta::UpdateCounter, request);
  };
  EXPECT_EQ(update([](auto& counter) { counter.set_countdiff(5); }).reply.count(), 6);
  EXPECT_EQ(update([](auto& counter) { counter.set_countdiff(-4); }).reply.count(), 2);
  const auto zero = update([](auto& counter) { counter.mutable_count(); });
  EXPECT_TRUE(zero.status.ok());
  EXPECT_EQ(zero.reply.count(), 0);
  EXPECT_EQ(zero.reply.capacity(), 10);
  EXPECT_EQ(update([](auto& counter) { counter.mutable_capacity(); }).reply.capacity(), 0);
  EXPECT_EQ(update([](auto& counter) { counter.set_countdiff(-1); }).status.error_code(),
            grpc::StatusCode::UNKNOWN);
  EXPECT_EQ(update([](auto&) {}).status.error_code(), grpc::StatusCode::UNKNOWN);
  EXPECT_EQ(call(*played->beta, &Beta::UpdateCounter, calls::beta::UpdateCounterRequest{})
                .status.error_code(),
            grpc::StatusCode::UNKNOWN);
  calls::beta::GetCounterRequest frags;
  frags.set_name("frags");
  const auto missing = call(*played->beta, &Beta::GetCounter, frags).status;
  EXPECT_EQ(missing.error_code(), grpc::StatusCode::UNKNOWN);
  EXPECT_EQ(missing.error_message(), "not found. frags Counter not found");
}

TEST_F(GrpcTransportTest, lists_with_a_mask_that_is_there_and_empty) {
  calls::beta::UpdateListRequest update;
  update.mutable_list()->set_name("players");
  update.mutable_list()->set_capacity(9);
  EXPECT_EQ(call(*played->beta, &Beta::UpdateList, update).status.error_code(),
            grpc::StatusCode::UNKNOWN)
      << "without a mask";
  update.mutable_update_mask();
  const auto raised = call(*played->beta, &Beta::UpdateList, update).reply;
  EXPECT_EQ(raised.capacity(), 9);
  EXPECT_THAT(raised.values(), ElementsAre("test0"));
  update.mutable_update_mask()->add_paths("values");
  EXPECT_THAT(call(*played->beta, &Beta::UpdateList, update).reply.values(), IsEmpty());
  calls::beta::AddListValueRequest add;
  add.set_name("players");
  add.set_value("x");
  EXPECT_THAT(call(*played->beta, &Beta::AddListValue, add).reply.values(), ElementsAre("x"));
  EXPECT_EQ(call(*played->beta, &Beta::AddListValue, add).status.error_code(),
            grpc::StatusCode::UNKNOWN);
  calls::beta::RemoveListValueRequest remove;
  remove.set_name("players");
  remove.set_value("x");
  EXPECT_TRUE(call(*played->beta, &Beta::RemoveListValue, remove).status.ok());
  calls::beta::GetListRequest get;
  get.set_name("players");
  EXPECT_THAT(call(*played->beta, &Beta::GetList, get).reply.values(), IsEmpty());
}

// What a client sends that has other messages, or other calls, than ours.
TEST_F(GrpcTransportTest, what_is_no_message_or_no_call_of_ours_is_refused) {
  grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer> stub{played->channel};
  const auto ask = [&](const std::string& path, const std::string& bytes) {
    return game([&] {
      Bounded client;
      const grpc::Slice slice{bytes};
      const grpc::ByteBuffer request{&slice, 1};
      grpc::ByteBuffer reply;
      std::promise<grpc::StatusCode> told;
      stub.UnaryCall(&client, path, {}, &request, &reply,
                     [&](const grpc::Status& status) { told.set_value(status.error_code()); });
      return told.get_future().get();
    });
  };
  const std::string label = "/agones.dev.sdk.SDK/SetLabel";
  EXPECT_EQ(ask(label,
                "\x0a\x7f"
                "cut off"),
            grpc::StatusCode::INTERNAL);
  EXPECT_EQ(ask(label, std::string(GrpcServer::message_bytes_most + 1, ' ')),
            grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(ask("/agones.dev.sdk.SDK/NoSuchCall", ""), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(ask("/agones.dev.sdk.beta.SDK/Ready", ""), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_THAT(played->room.happened, IsEmpty());
  EXPECT_EQ(state(), "Scheduled") << "over the same connection";
}

TEST_F(GrpcTransportTest, health_without_a_sign_is_none) {
  game([&] {
    Bounded client;
    Empty reply;
    const auto stream = played->sdk->Health(&client, &reply);
    stream->WritesDone();
    EXPECT_TRUE(stream->Finish().ok());
    return true;
  });
  EXPECT_THAT(played->room.happened, IsEmpty());
}

}  // namespace
}  // namespace fixkeep::worker::test
