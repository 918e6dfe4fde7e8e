// The SDK as gRPC: its messages, as they come in, and the calls that they are for.
//
// A script of calls: a byte that chooses, a length of a byte, and the message.
#include <string>

#include "tests/fuzz/script.hpp"
#include "tests/fuzz/sdk_room.hpp"
#include "tests/fuzz/targets.hpp"
#include "worker/sdk/rest/json.hpp"

namespace fixkeep::fuzz {
namespace {

namespace calls = worker::calls;

// A message that gRPC would not hand over is not handed over here either.
template <auto function>
void call_once(worker::Session& session, std::string_view bytes) {
  using Messages = calls::MessagesOf<decltype(function)>;
  typename Messages::Request request;
  if (!request.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
  using Reply = typename Messages::Reply;
  calls::perform(
      function, session, request, calls::Answer<Reply>{[](const worker::SdkResult<Reply>& reply) {
        const auto text = reply ? worker::to_json(*reply) : worker::to_json(reply.error());
        FIXKEEP_ASSERT(!text.empty(), "an answer that cannot be written");
      }});
}

using Call = void (*)(worker::Session&, std::string_view);

constexpr Call sdk_calls[] = {
    call_once<&calls::ready>,
    call_once<&calls::allocate>,
    call_once<&calls::shutdown>,
    call_once<&calls::reserve>,
    call_once<&calls::get_game_server>,
    call_once<&calls::set_label>,
    call_once<&calls::set_annotation>,
    call_once<&calls::player_connect>,
    call_once<&calls::player_disconnect>,
    call_once<&calls::set_player_capacity>,
    call_once<&calls::get_player_capacity>,
    call_once<&calls::get_player_count>,
    call_once<&calls::is_player_connected>,
    call_once<&calls::get_connected_players>,
    call_once<&calls::get_counter>,
    call_once<&calls::update_counter>,
    call_once<&calls::get_list>,
    call_once<&calls::update_list>,
    call_once<&calls::add_list_value>,
    call_once<&calls::remove_list_value>,
};

}  // namespace

void fuzz_sdk_calls(std::string_view bytes) {
  constexpr std::uint32_t count = std::size(sdk_calls);
  Script script{bytes};
  SdkRoom room;
  while (!script.empty()) {
    const auto choice = script.below(count + 5);
    if (choice < count) {
      sdk_calls[choice](room.session(), script.take(script.byte()));
    } else if (choice == count) {
      room.answer_at_the_door(script.flag());
    } else if (choice == count + 1) {
      room.reservation_ends();
    } else if (choice == count + 2) {
      room.session().unhealthy();
    } else if (choice == count + 3) {
      room.session().given("royale");
    } else {
      // What an earlier run of the worker has left, in a file that may be damaged.
      (void)worker::to_session_memory(script.take(script.byte()));
    }
    room.check();
  }
}

}  // namespace fixkeep::fuzz
