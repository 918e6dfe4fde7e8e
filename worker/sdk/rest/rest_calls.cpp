#include "worker/sdk/rest/rest_calls.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/percent.hpp"
#include "common/net/http/routes.hpp"
#include "worker/sdk/agones/calls.hpp"
#include "worker/sdk/rest/json.hpp"

namespace fixkeep::worker {
namespace {

using net::HttpAnswer;

struct RestCall {
  Session& session;
  const std::string& body;
  std::string_view query;
  net::PathParameters parameters;
  const net::HttpResponder& responder;
  const std::function<void()>& watch;

  void refuse(const SdkError& error) const { responder.answer(error_answer(error)); }
};
using Handler = void (*)(const RestCall&);

template <auto function>
using RequestOf = typename calls::MessagesOf<decltype(function)>::Request;
template <auto function>
using ReplyOf = typename calls::MessagesOf<decltype(function)>::Reply;

template <auto function>
void perform(const RestCall& call, const RequestOf<function>& request) {
  using Reply = ReplyOf<function>;
  calls::perform(
      function, call.session, request,
      calls::Answer<Reply>{[responder = call.responder](const SdkResult<Reply>& reply) {
        responder.answer(reply ? HttpAnswer{.body = to_json(*reply)} : error_answer(reply.error()));
      }});
}

template <auto function>
void without_body(const RestCall& call) {
  perform<function>(call, {});
}

template <auto function>
void with_body(const RestCall& call) {
  RequestOf<function> request;
  if (const auto read = read_json(call.body, request); !read) {
    call.refuse(read.error());
  } else {
    perform<function>(call, request);
  }
}

SdkResult<std::string> parameter_of(const RestCall& call) {
  auto text = percent_decoded(call.parameters[0]);
  if (!text) return SdkError{SdkCode::invalid_argument, "the path is not percent-encoded"};
  return std::move(*text);
}

template <auto function>
void get_by_name(const RestCall& call) {
  const auto name = parameter_of(call);
  if (!name) return call.refuse(name.error());
  RequestOf<function> request;
  request.set_name(*name);
  perform<function>(call, request);
}

// The list's name is in the path, and the rest of the request is in the body.
template <auto function>
void change_by_name(const RestCall& call) {
  RequestOf<function> request;
  const auto name = parameter_of(call);
  if (!name) return call.refuse(name.error());
  if (const auto read = read_json(call.body, request); !read) return call.refuse(read.error());
  request.set_name(*name);
  perform<function>(call, request);
}

void is_player_connected(const RestCall& call) {
  const auto player = parameter_of(call);
  if (!player) return call.refuse(player.error());
  calls::alpha::PlayerID request;
  request.set_playerid(*player);
  perform<&calls::is_player_connected>(call, request);
}

void update_counter(const RestCall& call) {
  const auto name = parameter_of(call);
  if (!name) return call.refuse(name.error());
  calls::beta::UpdateCounterRequest request;
  auto& counter = *request.mutable_counterupdaterequest();
  if (const auto read = read_json(call.body, counter); !read) return call.refuse(read.error());
  counter.set_name(*name);
  perform<&calls::update_counter>(call, request);
}

// Returns the decoded value of a query's field; nullopt if it is missing.
std::optional<std::string> query_field(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const auto field = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(field.size() + 1, query.size()));
    const auto equals = field.find('=');
    if (equals == std::string_view::npos || field.substr(0, equals) != name) continue;
    return percent_decoded(field.substr(equals + 1));
  }
  return std::nullopt;
}

// Reads ?updateMask=capacity,values. Without this parameter, the mask contains the fields of the
// body.
SdkResult<> read_update_mask(const RestCall& call, calls::beta::UpdateListRequest& request) {
  auto& mask = *request.mutable_update_mask();
  auto given = query_field(call.query, "updateMask");
  if (!given) given = query_field(call.query, "update_mask");
  if (!given || given->empty()) {
    auto fields = fields_of(call.body, *calls::beta::List::descriptor());
    if (!fields) return fields.error();
    for (std::string& field : *fields) mask.add_paths(std::move(field));
    return {};
  }
  for (std::string_view rest = *given;;) {
    const auto comma = rest.find(',');
    mask.add_paths(std::string{rest.substr(0, comma)});
    if (comma == std::string_view::npos) return {};
    rest.remove_prefix(comma + 1);
  }
}

void update_list(const RestCall& call) {
  const auto name = parameter_of(call);
  if (!name) return call.refuse(name.error());
  calls::beta::UpdateListRequest request;
  auto& list = *request.mutable_list();
  if (const auto read = read_json(call.body, list); !read) return call.refuse(read.error());
  if (const auto mask = read_update_mask(call, request); !mask) return call.refuse(mask.error());
  list.set_name(*name);
  perform<&calls::update_list>(call, request);
}

// The body is a stream of one or more signs of life. As in Agones, an empty body is refused.
void health(const RestCall& call) {
  if (call.body.empty()) return call.responder.answer({.status = 400, .body = {}});
  const auto signs = count_objects(call.body);
  if (!signs) return call.refuse(signs.error());
  if (*signs > 0) call.session.health();
  call.responder.answer({.body = "{}"});
}

void watch(const RestCall& call) {
  call.watch();
}

const net::Routes<Handler>& rest_routes() {
  static const net::Routes<Handler> table{
      {"POST", "/ready", with_body<&calls::ready>},
      {"POST", "/allocate", with_body<&calls::allocate>},
      {"POST", "/reserve", with_body<&calls::reserve>},
      {"POST", "/shutdown", with_body<&calls::shutdown>},
      {"POST", "/health", health},
      {"GET", "/gameserver", without_body<&calls::get_game_server>},
      {"GET", "/watch/gameserver", watch},
      {"PUT", "/metadata/label", with_body<&calls::set_label>},
      {"PUT", "/metadata/annotation", with_body<&calls::set_annotation>},
      {"GET", "/v1beta1/counters/{name}", get_by_name<&calls::get_counter>},
      {"PATCH", "/v1beta1/counters/{name}", update_counter},
      {"POST", "/v1beta1/lists/{name}:addValue", change_by_name<&calls::add_list_value>},
      {"POST", "/v1beta1/lists/{name}:removeValue", change_by_name<&calls::remove_list_value>},
      {"GET", "/v1beta1/lists/{name}", get_by_name<&calls::get_list>},
      {"PATCH", "/v1beta1/lists/{name}", update_list},
      {"POST", "/alpha/player/connect", with_body<&calls::player_connect>},
      {"POST", "/alpha/player/disconnect", with_body<&calls::player_disconnect>},
      {"PUT", "/alpha/player/capacity", with_body<&calls::set_player_capacity>},
      {"GET", "/alpha/player/capacity", without_body<&calls::get_player_capacity>},
      {"GET", "/alpha/player/count", without_body<&calls::get_player_count>},
      {"GET", "/alpha/player/connected", without_body<&calls::get_connected_players>},
      {"GET", "/alpha/player/connected/{player}", is_player_connected},
  };
  return table;
}

}  // namespace

HttpAnswer error_answer(const SdkError& error) {
  return {.status = http_status(error.code), .body = to_json(error)};
}

void answer_rest_call(Session& session, const net::HttpRequest& request,
                      const net::HttpResponder& responder, const std::function<void()>& watch) {
  const auto target = net::split_target(request.target());
  const auto found = rest_routes().find(request.method_string(), target.path);
  if (found.handler != nullptr) {
    (*found.handler)({session, request.body(), target.query, found.parameters, responder, watch});
  } else if (found.allow.empty()) {
    responder.answer(error_answer({SdkCode::not_found, "Not Found"}));
  } else {
    responder.answer(error_answer({SdkCode::unimplemented, "Method Not Allowed"}));
  }
}

}  // namespace fixkeep::worker
