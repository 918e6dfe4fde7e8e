#include "lab/pools/command.hpp"

#include <vector>

#include "client-sim/commands.hpp"
#include "client-sim/comparison.hpp"
#include "client-sim/report/by_setting.hpp"
#include "client-sim/report/run_tables.hpp"
#include "client-sim/report/stage_table.hpp"
#include "lab/pools/pool_table.hpp"

namespace fixkeep::client_sim {

int run_pools(const Options& options, std::ostream& out, std::ostream& err) {
  std::vector<RunResult> runs;
  LockServers servers;
  const int code = run_comparison(options, servers, err, runs);
  if (runs.empty()) return code;
  const auto groups = by_setting(runs);
  auto tables = to_text(table_by_setting(groups, pools_table)) + '\n';
  const auto rates = table_by_setting(groups, rates_table);
  if (rates.size() > 1) tables += to_text(rates) + '\n';
  if (options.stages) tables += to_text(table_by_setting(groups, stages_table)) + '\n';
  const int judged = present_runs(options, runs, tables, out, err);
  return code != exit_fine ? code : judged;
}

}  // namespace fixkeep::client_sim
