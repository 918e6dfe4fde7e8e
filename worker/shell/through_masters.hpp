// Calls of operators that a master brings: those of the worker's own listener that change rooms or
// read what a game wrote, and no others.
//
// Whether masters may bring them is the worker's to say (admin.through_masters).
// Thread rule: free function of the shell's thread. Bounds: wire/limits.hpp. Errors: 403
// worker-forbids, and those of status_page.hpp.
#pragma once

#include "common/wire/operator_calls.hpp"
#include "worker/shell/status_page.hpp"

namespace fixkeep::worker {

[[nodiscard]] wire::OperatorAnswer answer_through_master(const wire::OperatorCall& call,
                                                         StatusSource source, bool allowed);

}  // namespace fixkeep::worker
