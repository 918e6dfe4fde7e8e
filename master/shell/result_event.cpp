#include "master/shell/result_event.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "common/wire/match.hpp"
#include "master/http/json_member.hpp"

namespace fixkeep::master {
namespace {

// Returns an event without its last members and brace. Orders of different groups may have the same
// creation id, so the event's id also names the match.
std::string match_state(const GroupKey& group, const CreationId& creation, const char* state) {
  const std::string match = wire::match_id_of(group);
  const std::string order = to_string(creation);
  std::string body;
  append_member("id", "match-state/" + match + "/" + order + "/" + state, body);
  append_member("event", "match-state", body);
  append_member("match_id", match, body);
  append_member("state", state, body);
  append_member("creation_id", order, body);
  return body;
}

}  // namespace

std::unique_ptr<net::Webhook> start_webhook(boost::asio::io_context& context,
                                            const WebhookSettings& settings) {
  auto url = net::parse_http_url(settings.url);
  if (!url) return nullptr;
  net::WebhookOptions options;
  options.url = std::move(*url);
  options.trust = settings.trust;
  options.secret = settings.secret;
  return std::make_unique<net::Webhook>(context, std::move(options));
}

std::string result_event(const ResultHeard& heard) {
  const wire::RoomResult& result = heard.result;
  if (!nlohmann::json::accept(result.value)) return {};
  const std::string room = to_string(heard.room);
  const std::string creation = to_string(result.creation);
  std::string body;
  append_member("id", "room-result/" + room + "/" + creation, body);
  append_member("event", "room-result", body);
  append_member("room_id", room, body);
  append_member("group", result.group.text(), body);
  const std::string match = wire::match_id_of(result.group);
  if (!match.empty()) append_member("match_id", match, body);
  append_member("creation_id", creation, body);
  return body.append(",\"result\":").append(result.value).append("}");
}

std::string match_event(const MatchOver& over) {
  const std::string& result = over.result.value;
  std::string body = match_state(over.result.group, over.result.creation, "ended");
  append_member("room_id", to_string(over.room), body);
  if (nlohmann::json::accept(result)) body.append(",\"result\":").append(result);
  return body + '}';
}

void tell_result(net::Webhook& webhook, const ResultHeard& heard) {
  if (auto body = result_event(heard); !body.empty()) webhook.add(std::move(body));
}

std::string match_event(const OrderDone& order) {
  using How = OrderDone::How;
  if (!wire::is_match(order.group) || order.how == How::out_of_sight) return {};
  const bool ready = order.how == How::opened || order.how == How::given;
  std::string body = match_state(order.group, order.creation, ready ? "ready" : "failed");
  if (ready) append_member("room_id", to_string(order.room), body);
  if (!ready) append_member("reason", order.why, body);
  return body + '}';
}

}  // namespace fixkeep::master
