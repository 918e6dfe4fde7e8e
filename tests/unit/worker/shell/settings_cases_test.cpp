#include "tests/support/settings_cases.hpp"

#include "worker/shell/settings.hpp"

namespace fixkeep::worker {
namespace {

test::SettingsCases& cases() {
  static test::SettingsCases all{"tests/unit/worker/shell/settings_cases.txt"};
  return all;
}

class WorkerSettingsCase : public ::testing::TestWithParam<std::string> {};

TEST_P(WorkerSettingsCase, is_judged) {
  cases().check(GetParam(), "configs/worker.json", [](const auto& line, auto variables) {
    variables.emplace_back("FIXKEEP_CLUSTER_SECRET=a-secret-that-no-file-shows");
    return test::verdict_of(load_settings(line, variables));
  });
}

INSTANTIATE_TEST_SUITE_P(Each, WorkerSettingsCase, ::testing::ValuesIn(cases().names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace fixkeep::worker
