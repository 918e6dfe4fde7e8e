#include "worker/runner/process/room_commands.hpp"

#include <gtest/gtest.h>

#include "worker/keeper/texts.hpp"

namespace fixkeep::worker {
namespace {

using keeper::Word;
using Texts = std::vector<std::string>;

struct RoomCommandsTest : testing::Test {
  RoomCommands commands;
  std::vector<std::string> heard;
  RoomCommands::Done done = [this](const RoomShell::CommandEnd& end) { heard.push_back(end.text); };
  RoomCommands::Order order{.program = "/bin/rcon",
                            .command = {"rcon", "quit"},
                            .limit = std::chrono::milliseconds{1500},
                            .asks_to_end = true};
};

TEST_F(RoomCommandsTest, are_told_to_a_keeper_as_its_version_has_it) {
  for (const auto& [version, word] : {std::pair{1, Word::run_1}, {2, Word::run}, {3, Word::run}}) {
    const auto packet = commands.add(order, version, done);
    ASSERT_TRUE(packet);
    EXPECT_EQ(packet->word, word);
    EXPECT_EQ(packet->detail, 1500);
    EXPECT_EQ(packet->extra, 1);
    EXPECT_EQ(texts_of(*packet), (Texts{"/bin/rcon", "rcon", "quit"}));
    commands.ended({.word = Word::ran, .number = packet->number, .text = "bye"});
  }
  EXPECT_EQ(heard, (Texts{"bye", "bye", "bye"}));
}

TEST_F(RoomCommandsTest, that_a_keeper_would_take_for_others_are_not_told) {
  order.command.push_back(std::string{"a\0--admin", 9});
  EXPECT_EQ(commands.add(order, 1, done), std::nullopt);
  EXPECT_TRUE(commands.add(order, 2, done));
  order.command.assign(200, std::string(100, 'x'));
  EXPECT_EQ(commands.add(order, 1, done), std::nullopt);
  EXPECT_EQ(commands.add(order, 2, done), std::nullopt);
}

}  // namespace
}  // namespace fixkeep::worker
