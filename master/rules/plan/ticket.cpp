#include "master/rules/plan/ticket.hpp"

#include <algorithm>

#include "common/base/assert.hpp"

namespace fixkeep::master::plan {

std::int64_t mean_of(const Ticket& ticket, std::size_t number) {
  const auto count = std::max<std::int64_t>(static_cast<std::int64_t>(ticket.members.size()), 1);
  const std::int64_t quotient = ticket.sums[number] / count;
  return ticket.sums[number] % count < 0 ? quotient - 1 : quotient;
}

TicketPool::Slot TicketPool::insert(const Ticket& ticket) {
  FIXKEEP_ASSERT(size_ < tickets_most, "the pool is full");
  if (free_.empty()) {
    free_.push_back(static_cast<Slot>(slots_.size()));
    slots_.emplace_back();
    free_.reserve(slots_.capacity());
  }
  const Slot slot = free_.back();
  free_.pop_back();
  slots_[slot].ticket = ticket;
  slots_[slot].used = true;
  ++size_;
  return slot;
}

void TicketPool::remove(Slot slot) {
  FIXKEEP_ASSERT(slot < slots_.size() && slots_[slot].used, "no ticket is there");
  slots_[slot].used = false;
  free_.push_back(slot);
  --size_;
}

}  // namespace fixkeep::master::plan
