#include "worker/sdk/metadata.hpp"

#include <gmock/gmock.h>

namespace fixkeep::worker {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(QualifiedName, is_what_kubernetes_takes_for_one) {
  const std::string longest(63, 'a');
  for (const std::string& good :
       {std::string{"a"}, std::string{"My.name_1-x"}, std::string{"example.com/name"}, longest,
        std::string(253, 'a') + "/" + longest, std::string{"0"}}) {
    EXPECT_THAT(problem_of_qualified_name(good), IsEmpty()) << good;
  }
  for (const std::string& bad :
       {std::string{}, std::string{"-a"}, std::string{"a-"}, std::string{"a b"}, std::string{"é"},
        longest + "a", std::string{"/a"}, std::string{"a/"}, std::string{"A.com/name"},
        std::string{"a/b/c"}, std::string{"a..b/c"}, std::string(254, 'a') + "/b"}) {
    EXPECT_THAT(problem_of_qualified_name(bad), testing::Not(IsEmpty())) << bad;
  }
}

TEST(LabelValue, is_a_name_or_nothing) {
  EXPECT_THAT(problem_of_label_value(""), IsEmpty());
  EXPECT_THAT(problem_of_label_value("Blue_1.x-y"), IsEmpty());
  EXPECT_THAT(problem_of_label_value(std::string(63, 'a')), IsEmpty());
  for (const std::string& bad :
       {std::string{"_a"}, std::string{"a."}, std::string{"a/b"}, std::string(64, 'a')}) {
    EXPECT_THAT(problem_of_label_value(bad), testing::Not(IsEmpty())) << bad;
  }
}

TEST(Metadata, what_the_game_sets_has_a_prefix_and_replaces_only_its_own) {
  Metadata metadata{{{"map", "dust"}}};
  EXPECT_TRUE(*metadata.set_label("map", "ice"));
  EXPECT_TRUE(*metadata.set_annotation("note", "any text: é \n"));
  EXPECT_THAT(metadata.labels(),
              ElementsAre(Pair("agones.dev/sdk-map", "ice"), Pair("map", "dust")));
  EXPECT_THAT(metadata.annotations(), ElementsAre(Pair("agones.dev/sdk-note", "any text: é \n")));
}

TEST(Metadata, the_same_again_is_no_difference) {
  Metadata metadata{{}};
  EXPECT_TRUE(*metadata.set_label("a", "1"));
  EXPECT_FALSE(*metadata.set_label("a", "1"));
  EXPECT_TRUE(*metadata.set_label("a", "2"));
}

TEST(Metadata, refuses_what_is_not_valid_and_keeps_what_it_has) {
  Metadata metadata{{}};
  for (const auto& result : {metadata.set_label("a b", "1"), metadata.set_label("a", "1 2"),
                             metadata.set_annotation("", "1"),
                             metadata.set_annotation("a", std::string(16 * 1024 + 1, 'x'))}) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, SdkCode::invalid_argument) << result.error().message;
  }
  EXPECT_THAT(metadata.labels(), IsEmpty());
  EXPECT_THAT(metadata.annotations(), IsEmpty());
}

TEST(Metadata, has_64_labels_at_most_and_64_kib_of_annotations) {
  Metadata metadata{{}};
  for (int i = 0; i < 64; ++i) EXPECT_TRUE(metadata.set_label("k" + std::to_string(i), "v"));
  EXPECT_TRUE(metadata.set_label("k0", "w")) << "it is there already";
  const auto one_more = metadata.set_label("k64", "v");
  ASSERT_FALSE(one_more);
  EXPECT_EQ(one_more.error().code, SdkCode::resource_exhausted);

  const std::string text(16 * 1024 - 100, 'x');
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(metadata.set_annotation("k" + std::to_string(i), text));
  EXPECT_TRUE(metadata.set_annotation("k0", text + "y")) << "replaced, not added";
  const auto too_much = metadata.set_annotation("k4", text);
  ASSERT_FALSE(too_much);
  EXPECT_EQ(too_much.error().code, SdkCode::resource_exhausted);
}

}  // namespace
}  // namespace fixkeep::worker
