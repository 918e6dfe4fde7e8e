#include "client-sim/relay/core/command.hpp"

#include <gtest/gtest.h>

namespace fixkeep::relay {
namespace {

using namespace std::chrono_literals;

TEST(RelayCommand, opens_a_wire) {
  const auto command = parse_command(R"({"do":"open","wire":"m2-m1","listen":10300,"target":10001,)"
                                     R"("delay_ms":2.5,"loss_percent":1})");
  const auto* open = std::get_if<OpenWire>(&command);
  ASSERT_NE(open, nullptr);
  EXPECT_EQ(open->wire, "m2-m1");
  EXPECT_EQ(open->listen, 10'300);
  EXPECT_EQ(open->target, 10'001);
  EXPECT_EQ(open->conditions, (Conditions{.delay = 2500us, .jitter = 0us, .loss = 0.01}));
}

TEST(RelayCommand, changes_only_what_it_names) {
  const auto command = parse_command(R"({"do":"change","wire":"m2-m1","jitter_ms":3})");
  const auto* change = std::get_if<ChangeWire>(&command);
  ASSERT_NE(change, nullptr);
  Conditions conditions{.delay = 20ms, .jitter = 1ms, .loss = 0.5};
  change->apply(conditions);
  EXPECT_EQ(conditions, (Conditions{.delay = 20ms, .jitter = 3ms, .loss = 0.5}));
}

TEST(RelayCommand, is_refused_with_a_reason) {
  const auto mistake = [](const char* line) {
    const auto command = parse_command(line);
    const auto* found = std::get_if<Mistake>(&command);
    return found != nullptr ? found->text : std::string{};
  };
  EXPECT_EQ(mistake("[]"), "a line must be a JSON object");
  EXPECT_EQ(mistake("{"), "a line must be a JSON object");
  EXPECT_EQ(mistake("{}"), R"("do" must be one of "open", "change", "quit")");
  EXPECT_EQ(mistake(R"({"do":7})"), R"("do" must be one of "open", "change", "quit")");
  EXPECT_EQ(mistake(R"({"do":"open","wire":"a","listen":1,"target":2})"),
            R"("delay_ms" is missing)");
  EXPECT_EQ(mistake(R"({"do":"open","wire":"a","listen":65536,"target":2,"delay_ms":1})"),
            R"("listen" must be a port, from 1 to 65535)");
  EXPECT_EQ(mistake(R"({"do":"change","wire":""})"), R"("wire" must be a name)");
  EXPECT_EQ(mistake(R"({"do":"change","wire":"a","delay_ms":-1})"),
            R"("delay_ms" must be a number from 0 to 10000)");
  EXPECT_EQ(mistake(R"({"do":"change","wire":"a","loss_percent":91})"),
            R"("loss_percent" must be a number from 0 to 90)");
  EXPECT_EQ(mistake(R"({"do":"change","wire":"a","delay":1})"), R"("delay" is not known here)");
  EXPECT_TRUE(std::holds_alternative<Quit>(parse_command(R"({"do":"quit"})")));
}

}  // namespace
}  // namespace fixkeep::relay
