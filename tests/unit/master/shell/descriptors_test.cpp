#include "master/shell/descriptors.hpp"

#include <gmock/gmock.h>

#include "common/net/descriptor_budget.hpp"

namespace fixkeep::master {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Settings of_three_masters() {
  Settings settings;
  settings.masters.resize(3);
  return settings;
}

TEST(MasterDescriptors, leave_the_limits_alone_if_all_of_them_fit) {
  auto settings = of_three_masters();
  ::testing::internal::CaptureStderr();
  EXPECT_THAT(fit_descriptors(settings, 100'000), IsEmpty());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), IsEmpty());
  EXPECT_EQ(settings.http.connections, Settings{}.http.connections);
  EXPECT_EQ(settings.links.links, Settings{}.links.links);
}

TEST(MasterDescriptors, set_links_aside_before_http_gets_the_rest) {
  for (const std::size_t limit : {64, 100, 1024, 4096}) {
    auto settings = of_three_masters();
    ::testing::internal::CaptureStderr();
    EXPECT_THAT(fit_descriptors(settings, limit), IsEmpty());
    EXPECT_THAT(::testing::internal::GetCapturedStderr(),
                HasSubstr("lowered: too few file descriptors"));
    const auto links = settings.links.links + settings.links.pending_handshakes;
    const auto http = settings.http.connections + settings.http.turned_away;
    EXPECT_LE(net::fixed_descriptors + links + http, limit);
    EXPECT_GE(settings.links.links, settings.masters.size() + 1);
    EXPECT_GE(links, std::min<std::size_t>(limit / 4, 1088));
    EXPECT_GE(settings.http.connections, 1U);
  }
}

TEST(MasterDescriptors, are_too_few_if_the_masters_alone_do_not_fit) {
  auto settings = of_three_masters();
  EXPECT_THAT(fit_descriptors(settings, 32), HasSubstr("is 32 and 38 are needed"));
}

}  // namespace
}  // namespace fixkeep::master
