// Orders a holder's rooms: decides their number, claims and workers. For a warm pool it orders
// rooms without claims or closes surplus rooms.
//
// Thread rule: one owner. Bounds: MasterOptions::starting_rooms_per_group and _per_client, and how
// many rooms may start per client over time (room_budget.hpp).
// Errors: Refusal::too_many_rooms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "common/base/ids.hpp"
#include "master/core/claims/claims.hpp"
#include "master/core/claims/requests.hpp"
#include "master/core/claims/room_budget.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/groups/group_table.hpp"
#include "master/core/groups/questions.hpp"
#include "master/core/hold/hold_events.hpp"
#include "master/core/orders/spawn_planner.hpp"
#include "master/core/orders/warm_pools.hpp"
#include "master/core/seam/settings.hpp"
#include "master/core/seam/step.hpp"
#include "master/core/seats/seat_need.hpp"

namespace fixkeep::master {

class RoomOrders {
 public:
  // The arguments outlive the object.
  RoomOrders(const MasterOptions& options, Directory& directory, GroupTable& groups, Claims& claims,
             const SeatNeed& need, WarmPools& warm, Questions& questions, Requests& requests,
             RoomBudget& budget, MasterCounters& counters)
      : options_(options),
        directory_(directory),
        groups_(groups),
        claims_(claims),
        need_(need),
        warm_(warm),
        questions_(questions),
        requests_(requests),
        budget_(budget),
        counters_(counters) {}

  // Returns how many more rooms of the group may start now.
  [[nodiscard]] std::size_t rooms_left(const Group& group) const;
  // Orders rooms for all queued claims that need a room, within the bounds. Returns the number of
  // orders. If no worker can start a room, the group sleeps until capacity changes. REQUIRES: the
  // group holds its lock. All workers with a link are known.
  std::uint32_t order(Group& group, const hold::OrderRooms& orders, Step& step);
  // A room of a pool with its first claims, from any masters.
  struct PoolRoom {
    std::vector<wire::Claim> claims;
    std::vector<TicketId> lent;  // OrderQuestion::lent
    WorkerId avoid;
    ClientAddress client;  // empty: not counted
    ZoneName zone;         // empty: any
  };
  // Orders these rooms of a pool within the bounds. Returns the number of orders.
  std::uint32_t order(Group& pool, std::vector<PoolRoom>&& rooms, const hold::OrderRooms& orders,
                      Step& step);
  // Returns the zones where a room of the pool can start now.
  [[nodiscard]] std::set<ZoneName> open_zones(const Group& pool) const;
  // Refunds the cost of the order to the client: no worker has carried out the order.
  void not_started(const OrderQuestion& order) { budget_.not_started(order.client); }

 private:
  struct Wanted {
    std::vector<SpawnClaim> claims;
    std::vector<std::uint32_t> client_rooms;  // SpawnLimits::client_rooms
  };
  [[nodiscard]] Wanted wanted_for(const std::vector<ClaimNumber>& numbers, TimePoint now) const;
  [[nodiscard]] std::vector<SpawnWorker> workers_for(const Group& group) const;
  // Lists the workers that may make warm rooms. Each of these workers leaves its last place free.
  [[nodiscard]] std::vector<SpawnWorker> workers_for_pool(const Group& pool) const;
  std::uint32_t order_warm(Group& pool, const hold::OrderRooms& orders, Step& step);
  void close_warm(Group& pool, const hold::OrderRooms& orders, Step& step);
  void name_cause(const OrderQuestion& question, wire::SpawnRoom& message) const;
  void send(Group& group, const WorkerId& worker, OrderQuestion&& question,
            const hold::OrderRooms& orders, Step& step);
  void send(Group& group, const WorkerId& worker, OrderQuestion&& question,
            std::vector<wire::Claim>&& claims, const hold::OrderRooms& orders, Step& step);

  const MasterOptions& options_;
  Directory& directory_;
  GroupTable& groups_;
  Claims& claims_;
  const SeatNeed& need_;
  WarmPools& warm_;
  Questions& questions_;
  Requests& requests_;
  RoomBudget& budget_;
  MasterCounters& counters_;
};

}  // namespace fixkeep::master
