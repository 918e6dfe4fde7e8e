// Two masters in one process. The lock "counter" carries a number. Each master increments it a
// hundred times. The last value shows whether both masters ever held the lock at the same time.
#include <cstdio>
#include <lock/core/lock_table.hpp>
#include <map>

namespace lock = fixkeep::lock;
using fixkeep::MasterId;

int main() {
  const fixkeep::GroupKey counter{"counter"};
  fixkeep::TimePoint now{std::chrono::hours{1}};
  std::map<MasterId, lock::LockTable> masters;
  std::map<MasterId, lock::TableActions> wanted;  // actions of each master, in order
  for (const std::uint16_t id : {1, 2}) {
    const MasterId other{static_cast<std::uint16_t>(3 - id)};
    masters.emplace(id, lock::LockTable{{.self = MasterId{id}, .peers = {other}}, now});
    masters.at(MasterId{id}).connected(other, {}, now, wanted[MasterId{id}]);
    masters.at(MasterId{id}).acquire(counter, now, wanted[MasterId{id}]);
  }
  int last = 0;
  for (std::map<MasterId, int> holds; holds[MasterId{1}] + holds[MasterId{2}] < 200;) {
    for (auto& [self, master] : masters) {
      for (const auto& action : std::exchange(wanted[self], {})) {
        if (const auto* sent = std::get_if<lock::SendToPeer>(&action)) {
          if (!masters.at(sent->to).receive(self, sent->message, now, wanted[sent->to])) return 1;
        } else if (const auto* granted = std::get_if<lock::KeyGranted>(&action)) {
          last = granted->value.bytes.empty() ? 1 : std::stoi(granted->value.bytes) + 1;
          master.release(
              counter, granted->token,
              {granted->token, granted->value.fence, granted->needs_fence, std::to_string(last)},
              now, wanted[self]);
          if (++holds[self] < 100) master.acquire(counter, now, wanted[self]);
        }
      }
      master.tick(now += std::chrono::milliseconds{1}, wanted[self]);
    }
  }
  std::printf("two masters counted to %d\n", last);
  return last == 200 ? 0 : 1;
}
