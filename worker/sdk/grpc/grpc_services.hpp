// The three services of the Agones SDK: which function is which call of gRPC.
// Thread rule: gRPC's threads call them; live_call.hpp says what happens then. Bounds:
// GrpcServer's. Errors: as a status of gRPC.
#pragma once

#include "worker/sdk/agones/alpha.grpc.pb.h"
#include "worker/sdk/agones/beta.grpc.pb.h"
#include "worker/sdk/agones/sdk.grpc.pb.h"
#include "worker/sdk/grpc/live_call.hpp"

namespace fixkeep::worker {

class SdkService final : public calls::sdk::SDK::CallbackService {
 public:
  explicit SdkService(CallPlace place) : place_(std::move(place)) {}

 private:
  using Context = grpc::CallbackServerContext;
  using Unary = grpc::ServerUnaryReactor;
  using Empty = calls::sdk::Empty;
  using KeyValue = calls::sdk::KeyValue;
  using GameServer = calls::sdk::GameServer;

  Unary* Ready(Context* context, const Empty* request, Empty* reply) override;
  Unary* Allocate(Context* context, const Empty* request, Empty* reply) override;
  Unary* Shutdown(Context* context, const Empty* request, Empty* reply) override;
  grpc::ServerReadReactor<Empty>* Health(Context* context, Empty* reply) override;
  Unary* GetGameServer(Context* context, const Empty* request, GameServer* reply) override;
  grpc::ServerWriteReactor<GameServer>* WatchGameServer(Context* context,
                                                        const Empty* request) override;
  Unary* SetLabel(Context* context, const KeyValue* request, Empty* reply) override;
  Unary* SetAnnotation(Context* context, const KeyValue* request, Empty* reply) override;
  Unary* Reserve(Context* context, const calls::sdk::Duration* request, Empty* reply) override;

  CallPlace place_;
};

class AlphaService final : public calls::alpha::SDK::CallbackService {
 public:
  explicit AlphaService(CallPlace place) : place_(std::move(place)) {}

 private:
  using Context = grpc::CallbackServerContext;
  using Unary = grpc::ServerUnaryReactor;
  using Empty = calls::alpha::Empty;
  using Count = calls::alpha::Count;
  using Bool = calls::alpha::Bool;
  using Player = calls::alpha::PlayerID;

  Unary* PlayerConnect(Context* context, const Player* request, Bool* reply) override;
  Unary* PlayerDisconnect(Context* context, const Player* request, Bool* reply) override;
  Unary* SetPlayerCapacity(Context* context, const Count* request, Empty* reply) override;
  Unary* GetPlayerCapacity(Context* context, const Empty* request, Count* reply) override;
  Unary* GetPlayerCount(Context* context, const Empty* request, Count* reply) override;
  Unary* IsPlayerConnected(Context* context, const Player* request, Bool* reply) override;
  Unary* GetConnectedPlayers(Context* context, const Empty* request,
                             calls::alpha::PlayerIDList* reply) override;

  CallPlace place_;
};

class BetaService final : public calls::beta::SDK::CallbackService {
 public:
  explicit BetaService(CallPlace place) : place_(std::move(place)) {}

 private:
  using Context = grpc::CallbackServerContext;
  using Unary = grpc::ServerUnaryReactor;
  using Counter = calls::beta::Counter;
  using List = calls::beta::List;

  Unary* GetCounter(Context* context, const calls::beta::GetCounterRequest* request,
                    Counter* reply) override;
  Unary* UpdateCounter(Context* context, const calls::beta::UpdateCounterRequest* request,
                       Counter* reply) override;
  Unary* GetList(Context* context, const calls::beta::GetListRequest* request,
                 List* reply) override;
  Unary* UpdateList(Context* context, const calls::beta::UpdateListRequest* request,
                    List* reply) override;
  Unary* AddListValue(Context* context, const calls::beta::AddListValueRequest* request,
                      List* reply) override;
  Unary* RemoveListValue(Context* context, const calls::beta::RemoveListValueRequest* request,
                         List* reply) override;

  CallPlace place_;
};

}  // namespace fixkeep::worker
