// The section "admin" of a master's configuration.
#include <gmock/gmock.h>

#include "tests/unit/master/shell/settings_files.hpp"

namespace fixkeep::master {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// As a variable, since a command line takes none.
constexpr const char* with_token = "FIXKEEP_ADMIN_TOKEN=a token of some length";

TEST(MasterSettings, off_the_loopback_device_operators_need_a_token) {
  Files files;
  const auto config = files.write("m.json", minimal);
  for (const char* address : {"0.0.0.0", "::", "10.0.0.7"}) {
    const auto listen = std::string{"admin.address="} + address;
    EXPECT_THAT(lines(load(config, {listen, "admin.port=8181"})),
                ElementsAre(HasSubstr("admin.address: is not on the loopback device")));
    EXPECT_THAT(lines(load(config, {listen, "admin.port=8181"}, {with_token})), IsEmpty());
    EXPECT_THAT(lines(load(config, {listen})), IsEmpty()) << "there is no such listener";
  }
  for (const char* address : {"127.0.0.1", "::1"}) {
    EXPECT_THAT(lines(load(config, {std::string{"admin.address="} + address, "admin.port=8181"})),
                IsEmpty());
  }
}

// Games of workers on the same machine reach the loopback device.
TEST(MasterSettings, doubt_a_listener_for_operators_that_games_can_use) {
  Files files;
  const auto config = files.write("m.json", minimal);
  const auto doubts = [&](const std::vector<std::string>& settings,
                          const std::vector<std::string>& variables = {}) {
    const auto loaded = load(config, settings, variables);
    EXPECT_THAT(lines(loaded), IsEmpty());
    std::vector<std::string> said;
    for (const auto& doubt : std::get<Settings>(loaded).doubts) said.push_back(to_string(doubt));
    return said;
  };
  EXPECT_THAT(doubts({"admin.port=8181"}),
              ElementsAre(HasSubstr("admin.port: is where whatever runs on this machine is an "
                                    "operator, games too: give admin.token_file")));
  EXPECT_THAT(doubts({"admin.port=8181"}, {with_token}), IsEmpty());
  EXPECT_THAT(doubts({}), IsEmpty()) << "there is no such listener";
  const auto known = "FIXKEEP_ADMIN_TOKEN=an-example-token-for-the-local-cluster";
  EXPECT_THAT(doubts({"admin.port=8181"}, {known}),
              ElementsAre(HasSubstr("admin.token: is that of an example, which everybody knows")));
}

TEST(MasterSettings, of_operators_take_their_token_from_one_place) {
  Files files;
  const auto config = files.write("m.json", minimal);
  const auto file = files.write("token", "  a token from a file\n");
  const auto loaded = load(config, {"admin.port=8181", "admin.token_file=" + file});
  ASSERT_TRUE(std::holds_alternative<Settings>(loaded)) << lines(loaded).front();
  EXPECT_EQ(std::get<Settings>(loaded).admin.token, "a token from a file");
  EXPECT_THAT(to_json(std::get<Settings>(loaded)).dump(), Not(HasSubstr("from a file")));

  const auto marked = files.write("marked",
                                  "\xef\xbb\xbf"
                                  "a token from a file\r\n");
  const auto of_windows = load(config, {"admin.port=8181", "admin.token_file=" + marked});
  ASSERT_TRUE(std::holds_alternative<Settings>(of_windows)) << lines(of_windows).front();
  EXPECT_EQ(std::get<Settings>(of_windows).admin.token, "a token from a file");
  const auto wide = files.write("wide", std::string("\xff\xfe"
                                                    "a\0 \0t\0o\0k\0e\0n\0 \0",
                                                    18));
  EXPECT_THAT(lines(load(config, {"admin.token_file=" + wide})),
              ElementsAre(HasSubstr("which is in UTF-16: save it as UTF-8")));

  EXPECT_THAT(lines(load(config, {}, {with_token, "FIXKEEP_ADMIN_TOKEN_FILE=" + file})),
              ElementsAre(HasSubstr("admin.token_file: must not stand beside admin.token")));
  EXPECT_THAT(lines(load(config, {}, {"FIXKEEP_ADMIN_TOKEN=short"})),
              ElementsAre(HasSubstr("admin.token: must be a text of 16 to 1024 characters")));
  EXPECT_THAT(lines(load(config, {"admin.token=a token of some length"})),
              ElementsAre(HasSubstr("admin.token: is not taken from the command line, which "
                                    "everybody on this machine can read: give admin.token_file")));
  EXPECT_THAT(lines(load(config, {"admin.token_file=" + files.write("t", "short")})),
              ElementsAre(HasSubstr("admin.token_file: must be a file with a secret of at least")));
  EXPECT_THAT(lines(load(config, {"admin.token_file=/no/such"})),
              ElementsAre(HasSubstr("admin.token_file: must be a file that can be read")));
  EXPECT_THAT(lines(load(config, {"admin.tls.revoked=revoked.crl"})),
              ElementsAre(HasSubstr("admin.tls.clients: is missing: it has to have signed")));
  EXPECT_THAT(lines(load(config, {"admin.tls.key=m1.key"})),
              ElementsAre(HasSubstr("admin.tls.certificate: is missing: certificate and key")));
}

}  // namespace
}  // namespace fixkeep::master
