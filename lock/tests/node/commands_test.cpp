#include "lock/node/commands.hpp"

#include <gtest/gtest.h>

namespace fixkeep::lock_node {
namespace {

template <class Wanted>
Wanted command_of(const std::string& line) {
  const auto parsed = parse_command(line);
  if (const auto* mistake = std::get_if<Mistake>(&parsed)) {
    ADD_FAILURE() << line << ": " << mistake->text;
    return {};
  }
  const auto* command = std::get_if<Wanted>(&std::get<Request>(parsed).command);
  if (command == nullptr) {
    ADD_FAILURE() << line << " is another command";
    return {};
  }
  return *command;
}

std::string mistake_of(const std::string& line) {
  const auto parsed = parse_command(line);
  const auto* mistake = std::get_if<Mistake>(&parsed);
  return mistake != nullptr ? mistake->text : "";
}

TEST(LockNodeCommands, are_understood) {
  EXPECT_EQ(command_of<AcquireKey>(R"({"do":"acquire","key":"duel"})").key, GroupKey{"duel"});
  EXPECT_EQ(command_of<AbandonKey>(R"({"do":"abandon","key":"duel"})").key, GroupKey{"duel"});
  const auto release =
      command_of<ReleaseKey>(R"({"do":"release","key":"k","bytes":"b","uncertain":true})");
  EXPECT_EQ(release.bytes, "b");
  EXPECT_TRUE(release.uncertain);
  EXPECT_FALSE(command_of<ReleaseKey>(R"({"do":"release","key":"k"})").uncertain);
  EXPECT_EQ(command_of<CutPeer>(R"({"do":"cut","peer":3})").peer, MasterId{3});
  EXPECT_EQ(command_of<HealPeer>(R"({"do":"heal","peer":3})").peer, MasterId{3});
  EXPECT_EQ(command_of<HealPeer>(R"({"do":"heal"})").peer, std::nullopt);
  EXPECT_EQ(command_of<MeasureEcho>(R"({"do":"echo","peer":2,"count":7})").count, 7U);
  (void)command_of<ShowStatus>(R"({"do":"status"})");
  (void)command_of<ShowStatistics>(R"({"do":"statistics"})");
  (void)command_of<Quit>(R"({"do":"quit"})");
}

TEST(LockNodeCommands, measure_with_all_their_fields) {
  const auto alone = command_of<MeasureUncontended>(
      R"({"do":"uncontended","key":"k","peer":1,"count":50,"warm_up":0,"blocks":5})");
  EXPECT_EQ(alone.count, 50U);
  EXPECT_EQ(alone.warm_up, 0U);
  EXPECT_EQ(alone.blocks, 5U);
  const auto contend = command_of<Contend>(
      R"({"do":"contend","keys":9,"seconds":0.5,"hold_us":20,"in_flight":3,"seed":4,)"
      R"("at_us":123,"log":"/tmp/x"})");
  EXPECT_EQ(contend.keys, 9U);
  EXPECT_EQ(contend.time, std::chrono::milliseconds{500});
  EXPECT_EQ(contend.hold, std::chrono::microseconds{20});
  EXPECT_EQ(contend.in_flight, 3U);
  EXPECT_EQ(contend.seed, 4U);
  EXPECT_EQ(contend.at, TimePoint{Duration{123}});
  EXPECT_EQ(contend.log, "/tmp/x");
}

TEST(LockNodeCommands, keep_the_id_also_of_a_mistake) {
  const auto parsed = parse_command(R"({"do":"status","id":17})");
  ASSERT_TRUE(std::holds_alternative<Request>(parsed));
  EXPECT_EQ(std::get<Request>(parsed).id, 17);
  EXPECT_EQ(std::get<Request>(parsed).name, "status");
  const auto wrong = parse_command(R"({"do":"fly","id":"a"})");
  ASSERT_TRUE(std::holds_alternative<Mistake>(wrong));
  EXPECT_EQ(std::get<Mistake>(wrong).id, "a");
}

struct Wrong {
  const char* line;
  const char* said;  // a part of the text
};

TEST(LockNodeCommands, say_what_is_wrong_with_them) {
  const std::string long_text(5000, 'x');
  const auto long_key = R"({"do":"acquire","key":")" + long_text + R"("})";
  const auto long_value = R"({"do":"release","key":"k","bytes":")" + long_text + R"("})";
  for (const auto& [line, said] : std::initializer_list<Wrong>{
           {"", "not a JSON object"},
           {"{", "not a JSON object"},
           {"[1]", "not a JSON object"},
           {"\xff\xfe", "not a JSON object"},
           {"{}", "\"do\" is missing"},
           {R"({"do":3})", "\"do\" is missing"},
           {R"({"do":"fly"})", "acquire abandon release"},
           {R"({"do":"acquire"})", "\"key\" is missing"},
           {R"({"do":"acquire","key":""})", "\"key\" is missing or empty"},
           {R"({"do":"acquire","key":5})", "\"key\" has to be a text"},
           {R"({"do":"acquire","key":"k","kye":1})", "there is no \"kye\""},
           {R"({"do":"release","key":"k","uncertain":1})", "true or false"},
           {R"({"do":"cut"})", "\"peer\" is missing"},
           {R"({"do":"cut","peer":0})", "from 1 to 255"},
           {R"({"do":"cut","peer":256})", "from 1 to 255"},
           {R"({"do":"cut","peer":-1})", "from 1 to 255"},
           {R"({"do":"cut","peer":1.5})", "from 1 to 255"},
           {R"({"do":"echo","peer":1,"count":0})", "from 1 to"},
           {R"({"do":"contend"})", "\"seconds\" has to be"},
           {R"({"do":"contend","seconds":0})", "\"seconds\" has to be"},
           {R"({"do":"contend","seconds":1e9})", "\"seconds\" has to be"},
           {R"({"do":"contend","seconds":1,"keys":99999999})", "from 1 to 10000"},
           {long_key.c_str(), "at most 512 bytes"},
           {long_value.c_str(), "at most 4096 bytes"}}) {
    EXPECT_NE(mistake_of(line).find(said), std::string::npos) << line << ": " << mistake_of(line);
  }
}

}  // namespace
}  // namespace fixkeep::lock_node
