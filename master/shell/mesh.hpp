// Converts the configured list of masters (`mesh.masters`) into the forms that a master's parts
// need. The list may change while the master runs (lock/core/master_lists.hpp).
//
// Thread rule: free functions. Errors: none.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/net/link/hub.hpp"
#include "common/net/link/troubles.hpp"
#include "lock/engines/engine.hpp"
#include "master/core/master_core.hpp"
#include "master/http/readiness.hpp"
#include "master/http/view/pages.hpp"
#include "master/shell/link_handlers.hpp"
#include "master/shell/settings.hpp"

namespace fixkeep::master {

[[nodiscard]] std::vector<MasterRow> rows_of(const std::vector<MeshMember>& masters);

// Lists the masters that this master dials. Between two masters, the master with the higher number
// dials.
[[nodiscard]] std::vector<net::LinkTarget> dialled_by(const Settings& settings);

// Returns the number of other masters with a link to this master.
[[nodiscard]] std::size_t linked(const Settings& settings, const MasterCore& core);

// Returns the facts for GET /readyz, except `ending`. `engine`: null if masters keep the locks.
[[nodiscard]] ReadinessFacts readiness_facts(const Settings& settings, const MasterCore& core,
                                             const net::LinkTroubles& troubles,
                                             const AdmitsByMaster& admits,
                                             const engine::Engine* engine);

// Returns text for the log, like "m1, m2, m4".
[[nodiscard]] std::string names_of(const std::vector<MeshMember>& masters);

}  // namespace fixkeep::master
