#include "client-sim/game/session.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <vector>

#include "client-sim/game/options.hpp"
#include "client-sim/game/sdk_client.hpp"

namespace fixkeep::game {
namespace {

const RoomId room{WorkerId{"w1"}, Incarnation{1}, RoomNumber{1}};
const auth::Key key = auth::derive_room_key(SeatRoot{1}, room);
const auth::WallTime now{std::chrono::seconds{1'000'000}};

std::string token(const std::string& player, const auth::Key& with = key,
                  const std::string& for_room = to_string(room)) {
  return auth::sign_seat(
      with,
      {.room = for_room, .player = PlayerId{player}, .expires_at = now + std::chrono::seconds{10}});
}

JoinVerdict judge(const std::string& line, auth::WallTime at = now) {
  return judge_join(line, key, to_string(room), at);
}

TEST(GameSession, a_join_line_is_judged_by_its_token) {
  EXPECT_EQ(judge("JOIN " + token("ann")).player, PlayerId{"ann"});
  EXPECT_EQ(judge("JOIN " + token("ann")).refusal, "");
  EXPECT_EQ(judge("JOIN " + token("ann"), now + std::chrono::seconds{11}).refusal, "token_expired");
  const auth::Key other = auth::derive_room_key(SeatRoot{2}, room);
  EXPECT_EQ(judge("JOIN " + token("ann", other)).refusal, "token_forged");
  EXPECT_EQ(judge("JOIN " + token("ann", key, "w1-1-2")).refusal, "token_forged");
}

TEST(GameSession, what_is_no_join_is_malformed) {
  for (const char* line : {"", "JOIN", "JOIN ", "join x", "JOIN x", "PING", "JOIN a.b.c"}) {
    EXPECT_EQ(judge(line).refusal, "malformed") << line;
  }
}

TEST(GameSession, a_name_cannot_break_out_of_its_line) {
  EXPECT_EQ(judge("JOIN " + token("ann\nWELCOME bob")).refusal, "malformed");
}

TEST(LineReader, cuts_lines_wherever_the_bytes_were_cut) {
  LineReader reader;
  reader.add("PI");
  EXPECT_FALSE(reader.next());
  reader.add("NG\r\nJOIN x\n\nrest");
  EXPECT_EQ(reader.next(), "PING");
  EXPECT_EQ(reader.next(), "JOIN x");
  EXPECT_EQ(reader.next(), "");
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.too_long());
}

TEST(LineReader, a_line_may_be_so_long_and_no_longer) {
  LineReader reader;
  reader.add(std::string(line_bytes, 'x'));
  EXPECT_FALSE(reader.too_long());
  reader.add("y");
  EXPECT_TRUE(reader.too_long());
  reader.add("\n");
  EXPECT_FALSE(reader.next()) << "a long line does not become a good one by its end";
}

TEST(SdkClientBody, a_player_name_is_always_one_json_string) {
  EXPECT_EQ(player_body("ann"), R"({"playerID":"ann"})");
  EXPECT_EQ(player_body("a\"b\\c\n"), R"({"playerID":"a\"b\\c\u000a"})");
}

TEST(GameOptions, name_what_is_wrong) {
  const auto parse = [](std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "game");
    return parse_options(static_cast<int>(arguments.size()), arguments.data());
  };
  EXPECT_TRUE(parse({"--help"}).help);
  unsetenv("FIXKEEP_ROOM_ID");
  setenv("AGONES_SDK_HTTP_PORT", "9358", 1);
  EXPECT_EQ(parse({}).problem, "FIXKEEP_ROOM_ID is missing");
  setenv("FIXKEEP_ROOM_ID", "w1-1-1", 1);
  setenv("FIXKEEP_SEAT_KEY", "short", 1);
  EXPECT_EQ(parse({}).problem, "FIXKEEP_SEAT_KEY is no key");
  setenv("FIXKEEP_SEAT_KEY", auth::to_text(key).c_str(), 1);
  EXPECT_EQ(parse({}).problem, "--port is missing");
  EXPECT_EQ(parse({"--port"}).problem, "--port needs a value");
  EXPECT_NE(parse({"--port", "70000"}).problem, "");
  EXPECT_NE(parse({"--port", "1", "--boot-fail-percent", "101"}).problem, "");
  const auto good = parse({"--port", "1234", "--boot-ms", "50"});
  EXPECT_EQ(good.problem, "");
  EXPECT_EQ(good.options.port, 1234);
  EXPECT_EQ(good.options.boot, std::chrono::milliseconds{50});
  const auto file = ::testing::TempDir() + "boot-ms";
  EXPECT_NE(parse({"--port", "1234", "--boot-ms-file", "/there/is/none"}).problem, "");
  std::ofstream{file} << "70\n";
  const auto told = parse({"--port", "1234", "--boot-ms-file", file.c_str()});
  EXPECT_EQ(told.problem, "");
  EXPECT_EQ(told.options.boot, std::chrono::milliseconds{70});
  std::ofstream{file} << "soon\n";
  EXPECT_NE(parse({"--port", "1234", "--boot-ms-file", file.c_str()}).problem, "");
}

}  // namespace
}  // namespace fixkeep::game
