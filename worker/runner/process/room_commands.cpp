#include "worker/runner/process/room_commands.hpp"

#include "common/process/program.hpp"
#include "worker/keeper/texts.hpp"
#include "worker/runner/process/game_end.hpp"
#include "worker/runner/process/keeper_plan.hpp"

namespace fixkeep::worker {

std::optional<keeper::Packet> RoomCommands::add(const Order& order, std::int32_t version,
                                                const Done& done) {
  std::vector<std::string> texts{order.program};
  texts.insert(texts.end(), order.command.begin(), order.command.end());
  auto packet = version < 2 ? keeper::packet_of_1(keeper::Word::run_1, texts)
                            : keeper::packet_of(keeper::Word::run, texts);
  if (!packet) return std::nullopt;
  asked_.emplace(++last_, done);
  packet->number = last_;
  packet->detail = static_cast<std::int32_t>(order.limit.count());
  packet->extra = order.asks_to_end ? 1 : 0;
  return packet;
}

std::string RoomCommands::send(Order order, const std::vector<std::string>& folders,
                               KeeperLink& link, const Done& done) {
  auto [program, problem] =
      process::find_program(order.command.empty() ? "" : order.command.front(), folders);
  if (program.empty()) return problem;
  order.program = absolute(program);
  const auto told = add(order, link.version(), done);
  if (!told) return "its words are too long together";
  link.send(*told);
  return {};
}

void RoomCommands::ended(const keeper::Packet& ran) {
  const auto asked = asked_.extract(ran.number);
  if (!asked.empty()) asked.mapped()(command_end(ran));
}

}  // namespace fixkeep::worker
