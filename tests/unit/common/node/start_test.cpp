#include "common/node/start.hpp"

#include <gmock/gmock.h>

namespace fixkeep::node {
namespace {

using ::testing::HasSubstr;

TEST(Start, is_told_of_in_the_log_with_its_doubts_and_why_it_failed) {
  testing::internal::CaptureStderr();
  EXPECT_FALSE(open_log({.file = "/no/such/folder/log"}));
  EXPECT_TRUE(open_log({}));
  tell_doubts({{"f.json:3", 3, "http.port", "is that of another node"}});
  report({"nothing of that kind", {}});
  EXPECT_TRUE(open_log({}));
  report({"cannot listen", make_error_code(boost::system::errc::address_in_use)});
  const auto log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("reason=\"f.json:3: http.port: is that of another node\""));
  EXPECT_THAT(log, HasSubstr("nothing of that kind\n"));
  EXPECT_THAT(log, HasSubstr("cannot listen reason=\"Address already in use\""));
  EXPECT_THAT(log, HasSubstr("cannot open the log file file=/no/such/folder/log "
                             "reason=\"/no/such/folder: No such file or directory\""));
}

}  // namespace
}  // namespace fixkeep::node
