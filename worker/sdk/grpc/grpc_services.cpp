#include "worker/sdk/grpc/grpc_services.hpp"

namespace fixkeep::worker {
namespace {

template <auto function>
grpc::ServerUnaryReactor* answer(const CallPlace& place, const grpc::CallbackServerContext& context,
                                 const typename UnaryCall<function>::Request& request,
                                 typename UnaryCall<function>::Reply& reply) {
  return start_call<UnaryCall<function>>(place, context, request, reply);
}

}  // namespace

// --- agones.dev.sdk.SDK --------------------------------------------------------------------------

grpc::ServerUnaryReactor* SdkService::Ready(Context* context, const Empty* request, Empty* reply) {
  return answer<&calls::ready>(place_, *context, *request, *reply);
}

grpc::ServerUnaryReactor* SdkService::Allocate(Context* context, const Empty* request,
                                               Empty* reply) {
  return answer<&calls::allocate>(place_, *context, *request, *reply);
}

grpc::ServerUnaryReactor* SdkService::Shutdown(Context* context, const Empty* request,
                                               Empty* reply) {
  return answer<&calls::shutdown>(place_, *context, *request, *reply);
}

grpc::ServerReadReactor<calls::sdk::Empty>* SdkService::Health(Context* context, Empty*) {
  return start_call<HealthStream>(place_, *context);
}

grpc::ServerUnaryReactor* SdkService::GetGameServer(Context* context, const Empty* request,
                                                    GameServer* reply) {
  return answer<&calls::get_game_server>(place_, *context, *request, *reply);
}

grpc::ServerWriteReactor<calls::sdk::GameServer>* SdkService::WatchGameServer(Context* context,
                                                                              const Empty*) {
  return start_call<GameServerStream>(place_, *context);
}

grpc::ServerUnaryReactor* SdkService::SetLabel(Context* context, const KeyValue* request,
                                               Empty* reply) {
  return answer<&calls::set_label>(place_, *context, *request, *reply);
}

grpc::ServerUnaryReactor* SdkService::SetAnnotation(Context* context, const KeyValue* request,
                                                    Empty* reply) {
  return answer<&calls::set_annotation>(place_, *context, *request, *reply);
}

grpc::ServerUnaryReactor* SdkService::Reserve(Context* context, const calls::sdk::Duration* request,
                                              Empty* reply) {
  return answer<&calls::reserve>(place_, *context, *request, *reply);
}

// --- agones.dev.sdk.alpha.SDK --------------------------------------------------------------------

grpc::ServerUnaryReactor* AlphaService::PlayerConnect(Context* context, const Player* request,
                                                      Bool* reply) {
  return answer<&calls::player_connect>(place_, *context, *request, *reply);
}

grpc::ServerUnaryReactor* AlphaService::PlayerDisconnect(Context* context, const Player* request,
                                                         Bool* reply) {
  return answer<&calls::player_disconnect>(place_, *context, *request, *reply);
}

grpc::ServerUnaryReactor* AlphaService::SetPlayerCapacity(Context* context, const Count* request,
                                                          Empty* reply) {
  return answer<&calls::set_player_capacity>(place_, *context, *request, *reply);
}

grpc::ServerUnaryReactor* AlphaService::GetPlayerCapacity(Context* context, const Empty* request,
                                                          Count* reply) {
  return answer<&calls::get_player_capacity>(place_, *context, *request, *reply);
}

grpc::ServerUnaryReactor* AlphaService::GetPlayerCount(Context* context, const Empty* request,
                                                       Count* reply) {
  return answer<&calls::get_player_count>(place_, *context, *request, *reply);
}

grpc::ServerUnaryReactor* AlphaService::IsPlayerConnected(Context* context, const Player* request,
                                                          Bool* reply) {
  return answer<&calls::is_player_connected>(place_, *context, *request, *reply);
}

grpc::ServerUnaryReactor* AlphaService::GetConnectedPlayers(Context* context, const Empty* request,
                                                            calls::alpha::PlayerIDList* reply) {
  return answer<&calls::get_connected_players>(place_, *context, *request, *reply);
}

// --- agones.dev.sdk.beta.SDK ---------------------------------------------------------------------

grpc::ServerUnaryReactor* BetaService::GetCounter(Context* context,
                                                  const calls::beta::GetCounterRequest* request,
                                                  Counter* reply) {
  return answer<&calls::get_counter>(place_, *context, *request, *reply);
}

grpc::ServerUnaryReactor* BetaService::UpdateCounter(
    Context* context, const calls::beta::UpdateCounterRequest* request, Counter* reply) {
  return answer<&calls::update_counter>(place_, *context, *request, *reply);
}

grpc::ServerUnaryReactor* BetaService::GetList(Context* context,
                                               const calls::beta::GetListRequest* request,
                                               List* reply) {
  return answer<&calls::get_list>(place_, *context, *request, *reply);
}

grpc::ServerUnaryReactor* BetaService::UpdateList(Context* context,
                                                  const calls::beta::UpdateListRequest* request,
                                                  List* reply) {
  return answer<&calls::update_list>(place_, *context, *request, *reply);
}

grpc::ServerUnaryReactor* BetaService::AddListValue(Context* context,
                                                    const calls::beta::AddListValueRequest* request,
                                                    List* reply) {
  return answer<&calls::add_list_value>(place_, *context, *request, *reply);
}

grpc::ServerUnaryReactor* BetaService::RemoveListValue(
    Context* context, const calls::beta::RemoveListValueRequest* request, List* reply) {
  return answer<&calls::remove_list_value>(place_, *context, *request, *reply);
}

}  // namespace fixkeep::worker
