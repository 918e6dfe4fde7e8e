// Descriptions of the identifiers that records contain.
//
// Thread rule: free functions. Bounds: as below. Errors: none.
#pragma once

#include "common/base/ids.hpp"
#include "common/base/trace_context.hpp"
#include "common/record/record.hpp"

namespace fixkeep {

void describe(auto& fields, Described<FencingToken> auto& token) {
  fields.number(1, token.counter, largest_counter);
  fields.number(2, token.master);
}

void describe(auto& fields, Described<CreationId> auto& creation) {
  fields.nested(1, creation.token);
  fields.number(2, creation.index);
  fields.fixed(3, creation.orderer);
}

void describe(auto& fields, Described<TraceContext> auto& trace) {
  fields.fixed(1, trace.trace.high);
  fields.fixed(2, trace.trace.low);
  fields.fixed(3, trace.span);
  fields.number(4, trace.sampled);
}

}  // namespace fixkeep
