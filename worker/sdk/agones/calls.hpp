// Performs the calls of the Agones SDK: reads the message of a call, calls the session and makes
// the answer.
//
// Both transports use these functions for all calls except two streams: the watch (WatchGameServer)
// and Health. Each transport contains its own code for the streams.
// Thread rule: the session's thread. Bounds: see the session. Errors: SdkError; its text is for the
// game's developer.
#pragma once

#include <functional>

#include "worker/sdk/agones/alpha.pb.h"
#include "worker/sdk/agones/beta.pb.h"
#include "worker/sdk/agones/sdk.pb.h"
#include "worker/sdk/errors.hpp"
#include "worker/sdk/session.hpp"

namespace fixkeep::worker::calls {

namespace sdk = ::agones::dev::sdk;
namespace alpha = ::agones::dev::sdk::alpha;
namespace beta = ::agones::dev::sdk::beta;

template <class Reply>
using Answer = std::function<void(SdkResult<Reply>)>;

// Returns the present state of the room as a message.
[[nodiscard]] sdk::GameServer message_of(const GameServer& game_server);

// --- agones.dev.sdk.SDK
[[nodiscard]] SdkResult<sdk::Empty> ready(Session& session, const sdk::Empty& request);
[[nodiscard]] SdkResult<sdk::Empty> allocate(Session& session, const sdk::Empty& request);
[[nodiscard]] SdkResult<sdk::Empty> shutdown(Session& session, const sdk::Empty& request);
[[nodiscard]] SdkResult<sdk::Empty> reserve(Session& session, const sdk::Duration& request);
[[nodiscard]] SdkResult<sdk::GameServer> get_game_server(Session& session,
                                                         const sdk::Empty& request);
[[nodiscard]] SdkResult<sdk::Empty> set_label(Session& session, const sdk::KeyValue& request);
void set_annotation(Session& session, const sdk::KeyValue& request, Answer<sdk::Empty> answer);

// --- agones.dev.sdk.alpha.SDK
void player_connect(Session& session, const alpha::PlayerID& request, Answer<alpha::Bool> answer);
[[nodiscard]] SdkResult<alpha::Bool> player_disconnect(Session& session,
                                                       const alpha::PlayerID& request);
[[nodiscard]] SdkResult<alpha::Empty> set_player_capacity(Session& session,
                                                          const alpha::Count& request);
[[nodiscard]] SdkResult<alpha::Count> get_player_capacity(Session& session,
                                                          const alpha::Empty& request);
[[nodiscard]] SdkResult<alpha::Count> get_player_count(Session& session,
                                                       const alpha::Empty& request);
[[nodiscard]] SdkResult<alpha::Bool> is_player_connected(Session& session,
                                                         const alpha::PlayerID& request);
[[nodiscard]] SdkResult<alpha::PlayerIDList> get_connected_players(Session& session,
                                                                   const alpha::Empty& request);

// --- agones.dev.sdk.beta.SDK
[[nodiscard]] SdkResult<beta::Counter> get_counter(Session& session,
                                                   const beta::GetCounterRequest& request);
[[nodiscard]] SdkResult<beta::Counter> update_counter(Session& session,
                                                      const beta::UpdateCounterRequest& request);
[[nodiscard]] SdkResult<beta::List> get_list(Session& session, const beta::GetListRequest& request);
[[nodiscard]] SdkResult<beta::List> update_list(Session& session,
                                                const beta::UpdateListRequest& request);
[[nodiscard]] SdkResult<beta::List> add_list_value(Session& session,
                                                   const beta::AddListValueRequest& request);
[[nodiscard]] SdkResult<beta::List> remove_list_value(Session& session,
                                                      const beta::RemoveListValueRequest& request);

// --- one form for functions that answer immediately and functions that answer later
template <class Request, class Reply>
void perform(SdkResult<Reply> (*call)(Session&, const Request&), Session& session,
             const Request& request, const Answer<Reply>& answer) {
  answer(call(session, request));
}
template <class Request, class Reply>
void perform(void (*call)(Session&, const Request&, Answer<Reply>), Session& session,
             const Request& request, const Answer<Reply>& answer) {
  call(session, request, answer);
}

// The message types of a call, by the type of its function.
template <class Function>
struct MessagesOf;
template <class RequestType, class ReplyType>
struct MessagesOf<SdkResult<ReplyType> (*)(Session&, const RequestType&)> {
  using Request = RequestType;
  using Reply = ReplyType;
};
template <class RequestType, class ReplyType>
struct MessagesOf<void (*)(Session&, const RequestType&, Answer<ReplyType>)> {
  using Request = RequestType;
  using Reply = ReplyType;
};

}  // namespace fixkeep::worker::calls
