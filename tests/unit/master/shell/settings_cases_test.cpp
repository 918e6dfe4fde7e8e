#include "tests/support/settings_cases.hpp"

#include "master/shell/settings.hpp"

namespace fixkeep::master {
namespace {

test::SettingsCases& cases() {
  static test::SettingsCases all{"tests/unit/master/shell/settings_cases.txt"};
  return all;
}

class MasterSettingsCase : public ::testing::TestWithParam<std::string> {};

TEST_P(MasterSettingsCase, is_judged) {
  cases().check(GetParam(), "tests/unit/master/shell/minimal.json",
                [](const auto& line, const auto& variables) {
                  return test::verdict_of(load_settings(line, variables));
                });
}

INSTANTIATE_TEST_SUITE_P(Each, MasterSettingsCase, ::testing::ValuesIn(cases().names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace fixkeep::master
