// Where a master takes secrets from, beside that of its cluster.
#include <gmock/gmock.h>

#include "tests/unit/master/shell/settings_files.hpp"

namespace fixkeep::master {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(MasterSettings, take_the_secret_of_the_webhook_and_show_only_its_url) {
  Files files;
  const auto file = files.write("secret", "a secret from a file\n");
  const auto loaded =
      load(minimal, {"webhook.url=http://api.example:443/results", "webhook.secret_file=" + file});
  ASSERT_TRUE(std::holds_alternative<Settings>(loaded)) << lines(loaded).front();
  const Settings& settings = std::get<Settings>(loaded);
  EXPECT_EQ(settings.webhook.secret, "a secret from a file");
  EXPECT_THAT(to_json(settings).dump(), HasSubstr("http://api.example:443/results"));
  EXPECT_THAT(to_json(settings).dump(), Not(HasSubstr("from a file")));
}

TEST(MasterSettings, of_operators_take_their_token_from_one_place) {
  Files files;
  const auto file = files.write("token", "  a token from a file\n");
  const auto loaded = load(minimal, {"admin.port=8181", "admin.token_file=" + file});
  ASSERT_TRUE(std::holds_alternative<Settings>(loaded)) << lines(loaded).front();
  EXPECT_EQ(std::get<Settings>(loaded).admin.token, "a token from a file");
  EXPECT_THAT(to_json(std::get<Settings>(loaded)).dump(), Not(HasSubstr("from a file")));

  const auto marked = files.write("marked",
                                  "\xef\xbb\xbf"
                                  "a token from a file\r\n");
  const auto of_windows = load(minimal, {"admin.port=8181", "admin.token_file=" + marked});
  ASSERT_TRUE(std::holds_alternative<Settings>(of_windows)) << lines(of_windows).front();
  EXPECT_EQ(std::get<Settings>(of_windows).admin.token, "a token from a file");
  const auto wide = files.write("wide", std::string("\xff\xfe"
                                                    "a\0 \0t\0o\0k\0e\0n\0 \0",
                                                    18));
  EXPECT_THAT(lines(load(minimal, {"admin.token_file=" + wide})),
              ElementsAre(HasSubstr("which is in UTF-16: save it as UTF-8")));

  EXPECT_THAT(lines(load(minimal, {"admin.token_file=" + files.write("t", "short")})),
              ElementsAre(HasSubstr("admin.token_file: must be a file with a secret of at least")));
}

TEST(MasterSettings, of_lock_servers_take_their_password_from_one_place) {
  Files files;
  const auto file = files.write("password", " short\n");
  const auto loaded = load(minimal, {"lock.password_file=" + file});
  ASSERT_THAT(lines(loaded), ::testing::IsEmpty());
  EXPECT_EQ(std::get<Settings>(loaded).engine.password, "short");
  EXPECT_THAT(to_json(std::get<Settings>(loaded)).dump(), Not(HasSubstr("short")));
  EXPECT_EQ(std::get<Settings>(load(minimal, {}, {"FIXKEEP_LOCK_PASSWORD=p"})).engine.password,
            "p");
  EXPECT_THAT(
      lines(load(minimal, {"lock.password_file=" + file}, {"FIXKEEP_LOCK_PASSWORD_FILE=" + file})),
      ::testing::IsEmpty());
  EXPECT_THAT(lines(load(minimal, {"lock.password_file=" + files.write("empty", "\n")})),
              ElementsAre(HasSubstr("a file with a secret of at least 1 characters, has 0")));
}

}  // namespace
}  // namespace fixkeep::master
