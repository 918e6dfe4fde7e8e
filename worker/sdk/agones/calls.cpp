#include "worker/sdk/agones/calls.hpp"

#include <utility>

namespace fixkeep::worker::calls {
namespace {

// The empty answer of calls without a result.
template <class Empty>
SdkResult<Empty> heard(const SdkResult<>& result) {
  if (!result) return result.error();
  return Empty{};
}

alpha::Bool bool_of(bool value) {
  alpha::Bool message;
  message.set_bool_(value);
  return message;
}

alpha::Count count_of(std::int64_t value) {
  alpha::Count message;
  message.set_count(value);
  return message;
}

SdkResult<PlayerId> player_of(const alpha::PlayerID& request) {
  auto player = parse_player(request.playerid());
  if (!player) return SdkError{SdkCode::invalid_argument, "playerID has 1 to 128 bytes"};
  return std::move(*player);
}

SdkResult<beta::Counter> counter_of(const Session& session, const std::string& name) {
  const auto counter = session.game_server().counters.find(name);
  if (!counter) return counter.error();
  beta::Counter message;
  message.set_name(name);
  message.set_count(counter->count);
  message.set_capacity(counter->capacity);
  return message;
}

SdkResult<beta::List> list_of(const Session& session, const std::string& name) {
  const auto list = session.game_server().lists.find(name);
  if (!list) return list.error();
  beta::List message;
  message.set_name(name);
  message.set_capacity((*list)->capacity);
  for (const std::string& value : (*list)->values) message.add_values(value);
  return message;
}

sdk::GameServer::ObjectMeta meta_of(const GameServer& game_server) {
  const SessionFacts& facts = game_server.facts;
  sdk::GameServer::ObjectMeta meta;
  meta.set_name(facts.room);
  meta.set_namespace_("fixkeep");
  meta.set_uid(facts.room);
  meta.set_resource_version(std::to_string(game_server.resource_version));
  meta.set_generation(1);  // generation of the specification, which never changes
  meta.set_creation_timestamp(facts.created.time_since_epoch().count());
  meta.set_deletion_timestamp(game_server.deleted.time_since_epoch().count());
  const Metadata& metadata = game_server.metadata;
  meta.mutable_annotations()->insert(metadata.annotations().begin(), metadata.annotations().end());
  meta.mutable_labels()->insert(metadata.labels().begin(), metadata.labels().end());
  return meta;
}

sdk::GameServer::Status status_of(const GameServer& game_server) {
  const SessionFacts& facts = game_server.facts;
  sdk::GameServer::Status status;
  status.set_state(std::string{to_string(game_server.state)});
  status.set_address(facts.address);
  auto& address = *status.add_addresses();
  address.set_type("ExternalIP");
  address.set_address(facts.address);
  auto& port = *status.add_ports();
  port.set_name("default");
  port.set_port(facts.port);
  auto& players = *status.mutable_players();
  players.set_count(static_cast<std::int64_t>(game_server.players.in().size()));
  players.set_capacity(game_server.players.capacity());
  for (const PlayerId& player : game_server.players.in()) players.add_ids(player.text());
  for (const auto& [name, counter] : game_server.counters.all()) {
    auto& message = (*status.mutable_counters())[name];
    message.set_count(counter.count);
    message.set_capacity(counter.capacity);
  }
  for (const auto& [name, list] : game_server.lists.all()) {
    auto& message = (*status.mutable_lists())[name];
    message.set_capacity(list.capacity);
    for (const std::string& value : list.values) message.add_values(value);
  }
  return status;
}

}  // namespace

sdk::GameServer message_of(const GameServer& game_server) {
  sdk::GameServer message;
  *message.mutable_object_meta() = meta_of(game_server);
  auto& health = *message.mutable_spec()->mutable_health();
  health.set_period_seconds(static_cast<std::int32_t>(game_server.facts.health_period.count()));
  health.set_failure_threshold(static_cast<std::int32_t>(game_server.facts.health_failures));
  health.set_initial_delay_seconds(
      static_cast<std::int32_t>(game_server.facts.health_initial_delay.count()));
  *message.mutable_status() = status_of(game_server);
  return message;
}

// --- agones.dev.sdk.SDK --------------------------------------------------------------------------

SdkResult<sdk::Empty> ready(Session& session, const sdk::Empty&) {
  session.ready();
  return sdk::Empty{};
}

SdkResult<sdk::Empty> allocate(Session& session, const sdk::Empty&) {
  session.allocate();
  return sdk::Empty{};
}

SdkResult<sdk::Empty> shutdown(Session& session, const sdk::Empty&) {
  session.shutdown();
  return sdk::Empty{};
}

SdkResult<sdk::Empty> reserve(Session& session, const sdk::Duration& request) {
  session.reserve(std::chrono::seconds{request.seconds()});
  return sdk::Empty{};
}

SdkResult<sdk::GameServer> get_game_server(Session& session, const sdk::Empty&) {
  return message_of(session.game_server());
}

SdkResult<sdk::Empty> set_label(Session& session, const sdk::KeyValue& request) {
  return heard<sdk::Empty>(session.set_label(request.key(), request.value()));
}

void set_annotation(Session& session, const sdk::KeyValue& request, Answer<sdk::Empty> answer) {
  if (request.key() != Session::result_annotation) {
    return answer(heard<sdk::Empty>(session.set_annotation(request.key(), request.value())));
  }
  session.say_result(request.value(), [answer = std::move(answer)](const SdkResult<>& said) {
    answer(heard<sdk::Empty>(said));
  });
}

// --- agones.dev.sdk.alpha.SDK --------------------------------------------------------------------

void player_connect(Session& session, const alpha::PlayerID& request, Answer<alpha::Bool> answer) {
  const auto player = player_of(request);
  if (!player) {
    answer(player.error());
    return;
  }
  session.connect(*player, [answer = std::move(answer)](const SdkResult<bool>& is_in) {
    if (!is_in) {
      answer(is_in.error());
    } else {
      answer(bool_of(*is_in));
    }
  });
}

SdkResult<alpha::Bool> player_disconnect(Session& session, const alpha::PlayerID& request) {
  const auto player = player_of(request);
  if (!player) return player.error();
  return bool_of(session.disconnect(*player));
}

SdkResult<alpha::Empty> set_player_capacity(Session& session, const alpha::Count& request) {
  session.set_player_capacity(request.count());
  return alpha::Empty{};
}

SdkResult<alpha::Count> get_player_capacity(Session& session, const alpha::Empty&) {
  return count_of(session.game_server().players.capacity());
}

SdkResult<alpha::Count> get_player_count(Session& session, const alpha::Empty&) {
  return count_of(static_cast<std::int64_t>(session.game_server().players.in().size()));
}

SdkResult<alpha::Bool> is_player_connected(Session& session, const alpha::PlayerID& request) {
  const auto player = player_of(request);
  if (!player) return player.error();
  return bool_of(session.game_server().players.is_in(*player));
}

SdkResult<alpha::PlayerIDList> get_connected_players(Session& session, const alpha::Empty&) {
  alpha::PlayerIDList message;
  for (const PlayerId& player : session.game_server().players.in()) message.add_list(player.text());
  return message;
}

// --- agones.dev.sdk.beta.SDK ---------------------------------------------------------------------

SdkResult<beta::Counter> get_counter(Session& session, const beta::GetCounterRequest& request) {
  return counter_of(session, request.name());
}

SdkResult<beta::Counter> update_counter(Session& session,
                                        const beta::UpdateCounterRequest& request) {
  if (!request.has_counterupdaterequest()) {
    return SdkError{SdkCode::unknown, "invalid argument. CounterUpdateRequest cannot be nil"};
  }
  const auto& wanted = request.counterupdaterequest();
  CounterUpdate update;
  if (wanted.has_capacity()) update.capacity = wanted.capacity().value();
  if (wanted.has_count()) update.count = wanted.count().value();
  update.difference = wanted.countdiff();
  if (const auto done = session.update_counter(wanted.name(), update); !done) return done.error();
  return counter_of(session, wanted.name());
}

SdkResult<beta::List> get_list(Session& session, const beta::GetListRequest& request) {
  return list_of(session, request.name());
}

SdkResult<beta::List> update_list(Session& session, const beta::UpdateListRequest& request) {
  if (!request.has_list() || !request.has_update_mask()) {
    return SdkError{SdkCode::unknown, "invalid argument. List and UpdateMask cannot be nil"};
  }
  const auto& list = request.list();
  const auto& paths = request.update_mask().paths();
  const ListUpdate update{.capacity = list.capacity(),
                          .values = {list.values().begin(), list.values().end()},
                          .fields = {paths.begin(), paths.end()}};
  if (const auto done = session.update_list(list.name(), update); !done) return done.error();
  return list_of(session, list.name());
}

SdkResult<beta::List> add_list_value(Session& session, const beta::AddListValueRequest& request) {
  const auto done = session.add_list_value(request.name(), request.value());
  if (!done) return done.error();
  return list_of(session, request.name());
}

SdkResult<beta::List> remove_list_value(Session& session,
                                        const beta::RemoveListValueRequest& request) {
  const auto done = session.remove_list_value(request.name(), request.value());
  if (!done) return done.error();
  return list_of(session, request.name());
}

}  // namespace fixkeep::worker::calls
