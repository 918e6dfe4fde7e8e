// What etcd answers, as the JSON of its gateway.
#include <string>

#include "common/base/assert.hpp"
#include "lock/engines/etcd/wire.hpp"
#include "tests/fuzz/targets.hpp"

namespace fixkeep::fuzz {
namespace {

void check_standing(const std::optional<engine::EtcdStanding>& read) {
  if (!read || !read->standing.record) return;
  const lock::LockRecord& record = *read->standing.record;
  FIXKEEP_ASSERT(record.ticket <= largest_counter && record.lift <= largest_counter, "record");
  FIXKEEP_ASSERT(record.value.stamp.counter <= largest_counter, "stamp");
  FIXKEEP_ASSERT(record.value.fence.counter <= largest_counter, "fence");
}

}  // namespace

void fuzz_etcd_answer(std::string_view bytes) {
  check_standing(engine::read_entered(bytes));
  check_standing(engine::read_looked(bytes, 7));
  if (const auto lease = engine::read_lease(bytes)) (void)engine::lease_body(lease->id);
  (void)engine::read_auth_token(bytes);
  (void)engine::read_watch(bytes);
  (void)engine::says_lease_unknown(bytes);
}

}  // namespace fixkeep::fuzz
