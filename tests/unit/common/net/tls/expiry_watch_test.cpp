#include "common/net/tls/expiry_watch.hpp"

#include <gmock/gmock.h>

namespace fixkeep::net {
namespace {

using std::chrono::days;
using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;

struct ExpiryWatchTest : testing::Test {
  // What it logs, which goes to standard error as long as no log was started.
  std::string look(std::optional<std::chrono::sys_seconds> expires_at, seconds later) {
    testing::internal::CaptureStderr();
    watch.look(expires_at, start + later);
    return testing::internal::GetCapturedStderr();
  }

  const std::chrono::sys_seconds start{days{20'000}};
  ExpiryWatch watch{"links"};
};

TEST_F(ExpiryWatchTest, is_silent_of_no_certificate_and_of_one_that_is_good) {
  EXPECT_EQ(look({}, seconds{0}), "");
  EXPECT_EQ(look(start + ExpiryWatch::soon, seconds{0}), "");
}

TEST_F(ExpiryWatchTest, tells_each_day_how_long_a_certificate_is_good) {
  const auto end = start + ExpiryWatch::soon - seconds{1};
  const auto warning = AllOf(HasSubstr("ends soon"), HasSubstr("links"));
  EXPECT_THAT(look(end, seconds{0}), AllOf(warning, HasSubstr("days_left=29")));
  EXPECT_EQ(look(end, days{1} - seconds{1}), "");
  EXPECT_THAT(look(end, days{1}), AllOf(warning, HasSubstr("days_left=28")));
  EXPECT_THAT(look(end, end - start - seconds{1}), AllOf(warning, HasSubstr("days_left=0")));
}

TEST_F(ExpiryWatchTest, tells_of_an_end_and_of_another_certificate_at_once) {
  EXPECT_THAT(look(start, seconds{0}), AllOf(HasSubstr("has expired"), HasSubstr("days_ago=0")));
  EXPECT_EQ(look(start + days{2}, seconds{1}), "");
  watch.renewed();
  EXPECT_THAT(look(start + days{2}, seconds{1}), HasSubstr("days_left=1"));
}

}  // namespace
}  // namespace fixkeep::net
