#include "worker/backend/process/room_commands.hpp"

#include <utility>

#include "worker/backend/process/game_end.hpp"

namespace fixkeep::worker {

keeper::Packet RoomCommands::add(const std::string& program,
                                 const std::vector<std::string>& command,
                                 std::chrono::milliseconds limit, bool asks_to_end, Done done) {
  std::string text = program + '\0';
  for (const auto& argument : command) text += argument + '\0';
  asked_.emplace(++last_, std::move(done));
  return {.word = keeper::Word::run,
          .number = last_,
          .detail = static_cast<std::int32_t>(limit.count()),
          .extra = asks_to_end ? 1 : 0,
          .text = std::move(text)};
}

void RoomCommands::ended(const keeper::Packet& ran) {
  const auto asked = asked_.extract(ran.number);
  if (!asked.empty()) asked.mapped()(command_end(ran));
}

}  // namespace fixkeep::worker
