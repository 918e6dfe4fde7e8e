// Converts claims to Protocol Buffers and back. Internal to the codec.
//
// Thread rule: free functions without state. Bounds: limits.hpp. Errors: as codec.hpp says.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "common/wire/fields.hpp"
#include "common/wire/messages.hpp"

namespace fixkeep::wire::fields {

inline const std::string& checked_brings(const std::string& brings) {
  check_count(brings.size(), limits::brings_bytes);
  return brings;
}

inline void put(const RequestContext& context, pb::Claim* out) {
  if (!context.request_id.empty()) {
    FIXKEEP_ASSERT(is_request_id(context.request_id), context.request_id);
    out->set_request_id(context.request_id);
  }
  if (!context.trace) return;
  FIXKEEP_ASSERT(context.trace->valid(), context.request_id);
  auto* trace = out->mutable_trace();
  trace->set_trace_high(context.trace->trace.high);
  trace->set_trace_low(context.trace->trace.low);
  trace->set_span(context.trace->span);
  trace->set_sampled(context.trace->sampled);
}

inline void put(const Claim& claim, pb::Claim* out) {
  check_count(claim.seats(), limits::party);
  out->set_player(checked_id(claim.player));
  for (const auto& member : claim.party) out->add_party(checked_id(member));
  put(claim.context, out);
  out->set_brings(checked_brings(claim.brings));
  FIXKEEP_ASSERT(claim.party_brings.empty() || claim.party_brings.size() == claim.party.size(),
                 claim.player.text());
  for (const auto& each : claim.party_brings) out->add_party_brings(checked_brings(each));
}

inline void put(const LentClaim& lent, pb::LentClaim* out) {
  out->set_number(lent.number);
  put(lent.claim, out->mutable_claim());
  out->set_waited_ms(static_cast<std::uint32_t>(lent.waited.count()));
  out->set_passed(lent.passed);
  if (!lent.avoid.empty()) out->set_avoid(checked_id(lent.avoid));
  out->set_asked(lent.asked);
}

// Drops only the context if it is out of bounds: a seat is worth more than its trace.
inline RequestContext context_of(const pb::Claim& claim) {
  RequestContext context;
  if (is_request_id(claim.request_id())) context.request_id = claim.request_id();
  if (!claim.has_trace()) return context;
  const auto& trace = claim.trace();
  const TraceContext given{{trace.trace_high(), trace.trace_low()}, trace.span(), trace.sampled()};
  if (given.valid()) context.trace = given;
  return context;
}

inline bool get_brings(const std::string& bytes, std::string& out) {
  out = bytes;
  return out.size() <= limits::brings_bytes;
}

inline bool get_party_brings(const pb::Claim& claim, std::vector<std::string>& out) {
  if (claim.party_brings_size() > 0 && claim.party_brings_size() != claim.party_size()) {
    return false;
  }
  return std::all_of(claim.party_brings().begin(), claim.party_brings().end(),
                     [&](const std::string& each) { return get_brings(each, out.emplace_back()); });
}

inline bool get_claim(const pb::Claim& claim, Claim& out) {
  out.context = context_of(claim);
  return get(claim.player(), limits::id_bytes, out.player) &&
         static_cast<std::size_t>(claim.party_size()) < limits::party &&
         std::all_of(claim.party().begin(), claim.party().end(),
                     [&](const std::string& member) {
                       return get(member, limits::id_bytes, out.party.emplace_back());
                     }) &&
         get_brings(claim.brings(), out.brings) && get_party_brings(claim, out.party_brings);
}

inline bool get_lent(const pb::LentClaim& lent, LentClaim& out) {
  out.number = lent.number();
  out.waited = std::chrono::milliseconds{lent.waited_ms()};
  out.passed = lent.passed();
  out.asked = lent.asked();
  return get_claim(lent.claim(), out.claim) &&
         (lent.avoid().empty() || get(lent.avoid(), limits::id_bytes, out.avoid));
}

}  // namespace fixkeep::wire::fields
