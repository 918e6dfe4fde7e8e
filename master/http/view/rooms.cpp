#include "master/http/view/rooms.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace fixkeep::master {
namespace {

std::optional<RoomPage> parse_room_page(std::string_view query) {
  RoomPage wanted;
  while (!query.empty()) {
    const auto part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(part.size() + 1, query.size()));
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) return {};
    const auto name = part.substr(0, equals);
    const auto value = part.substr(equals + 1);
    if (name == "limit") {
      const auto [end, error] =
          std::from_chars(value.data(), value.data() + value.size(), wanted.limit);
      if (error != std::errc{} || end != value.data() + value.size()) return {};
      if (wanted.limit < 1 || wanted.limit > page_limit) return {};
    } else if (name == "after") {
      wanted.after = parse_room_id(value);
      if (!wanted.after) return {};
    } else {
      return {};
    }
  }
  return wanted;
}

net::HttpAnswer room_page(const DirectoryView& view, const RoomId& room) {
  const auto body = room_json(view, room);
  if (body && body->empty()) {
    return not_found("the room is closed, or was never there; GET /v1/rooms lists them");
  }
  return page_of(body);
}

}  // namespace

void list_rooms(const ApiCall& call) {
  const auto wanted = parse_room_page(call.query);
  if (!wanted) {
    return call.answer(net::problem(400, "invalid-query", "The query is not valid",
                                    "use limit=1 to 1000 and after=the room_id in next"));
  }
  call.look("rooms", [wanted = *wanted](const DirectoryView& view) {
    return page_of(rooms_json(view, wanted));
  });
}

void show_room(const ApiCall& call) {
  const auto room = parse_room_id(call.parameters[0]);
  if (!room) return call.answer(not_found("the room id is not valid; GET /v1/rooms lists them"));
  if (!net::names_method(net::read_methods, call.request.method_string())) {
    return call.answer(wrong_method(net::read_methods));
  }
  call.look("room", [room = *room](const DirectoryView& view) { return room_page(view, room); });
}

}  // namespace fixkeep::master
