#include "worker/keeper/texts.hpp"

#include <gtest/gtest.h>

namespace fixkeep::worker::keeper {
namespace {

using Texts = std::vector<std::string>;

const Texts plain{"/bin/rcon", "rcon", "", "say \"a\nb\"", "\xff"};
const Texts with_nul{"/bin/rcon", "rcon", std::string{"map\0--admin", 11}};

TEST(KeeperTexts, arrive_as_they_were_sent) {
  for (const Texts& texts : {plain, with_nul, Texts{}, Texts{""}, Texts{std::string(1, '\0')}}) {
    const auto packet = packet_of(Word::run, texts);
    ASSERT_TRUE(packet);
    EXPECT_EQ(texts_of(*to_packet(to_bytes(*packet))), texts);
  }
}

TEST(KeeperTexts, of_version_1_are_spoken_and_understood) {
  const auto packet = packet_of_1(Word::run_1, plain);
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->text.substr(0, 15), std::string("/bin/rcon\0rcon\0", 15));
  EXPECT_EQ(texts_of(*packet), plain);
  EXPECT_EQ(texts_of({.word = Word::complaint_1, .text = std::string{"a\0\0c\0", 5}}),
            (Texts{"a", "", "c"}));
  EXPECT_EQ(packet_of_1(Word::run_1, with_nul), std::nullopt) << "it would be four";
}

// A keeper would run the beginning of a command.
TEST(KeeperTexts, that_do_not_fit_are_not_cut) {
  const Texts fits{std::string(most_text_bytes - 4, 'x')};
  ASSERT_TRUE(packet_of(Word::run, fits));
  EXPECT_EQ(texts_of(*to_packet(to_bytes(*packet_of(Word::run, fits)))), fits);
  EXPECT_EQ(packet_of(Word::run, {std::string(most_text_bytes - 3, 'x')}), std::nullopt);
  EXPECT_TRUE(packet_of_1(Word::run_1, {std::string(most_text_bytes - 1, 'x')}));
  EXPECT_EQ(packet_of_1(Word::run_1, {std::string(most_text_bytes, 'x')}), std::nullopt);
}

TEST(KeeperTexts, are_none_if_they_are_cut_or_of_another_word) {
  const std::string list = packet_of(Word::run, {"ab", "c"})->text;
  for (const std::size_t bytes : {1U, 3U, 4U, 5U, 7U, 9U, 10U}) {
    EXPECT_EQ(texts_of({.word = Word::run, .text = list.substr(0, bytes)}), std::nullopt) << bytes;
  }
  EXPECT_EQ(texts_of({.word = Word::run, .text = "\xff\xff\xff\xff" + list}), std::nullopt);
  EXPECT_EQ(texts_of({.word = Word::run_1, .text = std::string{"a\0b", 3}}), std::nullopt);
  EXPECT_EQ(texts_of({.word = Word::wrote, .text = list}), std::nullopt);
}

}  // namespace
}  // namespace fixkeep::worker::keeper
