// The keys of the log and of events in the settings of masters and workers.
// Thread rule: free functions. Bounds: those of the keys. Errors: none.
#pragma once

#include "common/config/fields.hpp"
#include "common/obs/log.hpp"

namespace fixkeep {

void describe_events(config::Fields& fields, std::size_t& kept);  // the section `events`
void describe_log(config::Fields& fields, obs::LogOptions& log);  // the section `log`

}  // namespace fixkeep
