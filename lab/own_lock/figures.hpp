// The figures of a lock that is not part of FIX Keep, as a table, as JSON and as faults.
//
// Thread rule: free functions without state. Bounds: at most 400 waits of each kind of trial in
// JSON. Errors: none.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "client-sim/report/table.hpp"
#include "lab/own_lock/processes.hpp"

namespace fixkeep::own_lock {

// All trials with the same fault.
struct Row {
  Fault fault = Fault::none;
  std::size_t trials = 0;
  Figures sum;
};
[[nodiscard]] std::vector<Row> rows_of(const std::vector<TrialResult>& trials);

[[nodiscard]] client_sim::Table table_of(const std::vector<Row>& rows);
[[nodiscard]] nlohmann::ordered_json json_of(const std::vector<Row>& rows);

// Returns what a lock must never show. Without a fault: a lost hold, or no grant at all. Without a
// fault, and with late messages: two believers. Always: a token that is not above all earlier
// tokens, and a stale write that passes the fence although the lock gives tokens.
[[nodiscard]] std::vector<std::string> faults_of(const std::vector<Row>& rows);

// Describes two believers and stale writes during a fault. These remarks are not a verdict, because
// a lock with a lease cannot prevent such events.
[[nodiscard]] std::vector<std::string> remarks_of(const std::vector<Row>& rows);

}  // namespace fixkeep::own_lock
