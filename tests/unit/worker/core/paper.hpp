// A deliberately simple second implementation of seats, for comparison.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/messages.hpp"

namespace fixkeep::worker {

// Seats as one would write them down on paper: who sits where until when. No queues, no stamps.
struct Paper {
  struct Entry {
    bool occupied = false;
    std::map<ReservationId, TimePoint> wanted;  // until when
    std::optional<TimePoint> crowd;             // the same of those that are too many

    [[nodiscard]] bool free() const { return !occupied && wanted.empty() && !crowd; }
    void nobody_wants() {
      wanted.clear();
      crowd.reset();
    }
  };
  struct Sheet {
    bool open = false;
    std::uint32_t capacity = 0;
    std::map<PlayerId, Entry> seats;
  };
  std::map<RoomNumber, Sheet> sheets;
  Duration reservation;
  Duration reconnect{};  // 0: a seat that is left is free

  // It has no number that a master could know.
  static constexpr ReservationId of_who_left{~std::uint64_t{0}};
  void leave(const Sheet& sheet, Entry& seat, TimePoint now) const {
    if (seat.occupied && sheet.open && reconnect > Duration{0}) {
      seat.nobody_wants();
      seat.wanted[of_who_left] = now + std::max(reconnect, reservation);
    }
    seat.occupied = false;
  }
  // All reservations of open rooms have their full time again.
  void start_anew(TimePoint now) {
    for (auto& [number, sheet] : sheets) {
      if (!sheet.open) continue;
      for (auto& [who, seat] : sheet.seats) {
        const TimePoint until = now + std::max(reconnect, reservation);
        for (auto& [which, end] : seat.wanted) end = until;
        if (seat.crowd) seat.crowd = until;
      }
    }
  }
  void lapse(TimePoint now) {
    for (auto& [number, sheet] : sheets) {
      for (auto& [who, seat] : sheet.seats) {
        std::erase_if(seat.wanted, [now](const auto& one) { return one.second <= now; });
        if (seat.crowd && *seat.crowd <= now) seat.crowd.reset();
      }
      clear(sheet);
    }
  }
  static void clear(Sheet& sheet) {
    std::erase_if(sheet.seats, [](const auto& seat) { return seat.second.free(); });
  }
  std::vector<std::uint32_t> grant(RoomNumber number, const std::vector<wire::Claim>& wanted,
                                   TimePoint now, ReservationId reservation_id) {
    std::vector<std::uint32_t> granted;
    const auto found = sheets.find(number);
    if (found == sheets.end()) return granted;
    Sheet& sheet = found->second;
    for (std::uint32_t i = 0; i < wanted.size(); ++i) {
      auto after = sheet.seats;
      std::vector<PlayerId> together = wanted[i].party;
      together.push_back(wanted[i].player);
      for (const auto& each : together) {
        Entry& entry = after[each];
        const auto until = sheet.open ? now + reservation : TimePoint::max();
        if (entry.wanted.contains(reservation_id)) continue;
        if (entry.wanted.size() == 4) {
          entry.crowd = until;
        } else {
          entry.wanted.emplace(reservation_id, until);
        }
      }
      if (after.size() > sheet.capacity) continue;
      sheet.seats = after;
      granted.push_back(i);
    }
    return granted;
  }
};

}  // namespace fixkeep::worker
