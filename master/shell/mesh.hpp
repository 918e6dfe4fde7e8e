// The list of masters (`mesh.masters`) as the parts of a master need it. It may change while the
// master runs (lock/core/master_lists.hpp).
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

// Lists the masters that this one dials. The higher number of two masters dials.
[[nodiscard]] std::vector<net::LinkTarget> dialled_by(const Settings& settings);

// Other masters that have a link to this one.
[[nodiscard]] std::size_t linked(const Settings& settings, const MasterCore& core);

// Whether this master is ready but for its end. `engine`: null with a lock of the mesh.
[[nodiscard]] ReadinessFacts readiness_facts(const Settings& settings, const MasterCore& core,
                                             const net::LinkTroubles& troubles,
                                             const AdmitsByMaster& admits,
                                             const engine::Engine* engine);

// "m1, m2, m4", for the log.
[[nodiscard]] std::string names_of(const std::vector<MeshMember>& masters);

}  // namespace fixkeep::master
