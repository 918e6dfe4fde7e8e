// Asks the rooms of a group for seats.
//
// All claims that fit one room ask its worker in one SeatRequest. A room is asked by one
// SeatRequest at a time. Directory::next_room names the next room that seems to have seats. The
// worker decides.
//
// Thread rule: one owner. Bounds: wire::limits::claims and message_bytes for each SeatRequest.
// Errors: after an invalid answer the worker's claims are placed again. The caller closes the
// worker's link.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/ids.hpp"
#include "common/wire/messages.hpp"
#include "master/core/claims/claims.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/groups/questions.hpp"
#include "master/core/seam/settings.hpp"
#include "master/core/seam/step.hpp"
#include "master/core/seats/seating.hpp"

namespace fixkeep::master {

class SeatRequests {
 public:
  static constexpr std::size_t message_bytes = 1U << 20U;

  // The arguments outlive the object.
  SeatRequests(const MasterOptions& options, Directory& directory, Claims& claims,
               Questions& questions, Seating& seating, MasterCounters& counters)
      : options_(options),
        directory_(directory),
        claims_(claims),
        questions_(questions),
        seating_(seating),
        counters_(counters) {}

  // Asks every room that may have seats for the group's claims. Returns whether any room was asked.
  bool ask_rooms(Group& group, Step& step);
  // Applies the worker's answer. Returns false if the answer is invalid.
  [[nodiscard]] bool answered(const QuestionAbout<SeatQuestion>& question,
                              const wire::SeatReply& reply, Step& step);

 private:
  // The claims of one SeatRequest.
  struct Batch {
    std::vector<ClaimNumber> claims;
    std::uint32_t left = 0;  // seats of the room that are still free
    std::size_t bytes = 0;
    bool gathers = false;  // the room: see RoomStage
  };

  void ask_for_pinned(Group& group, Step& step);
  void ask_for_queued(Group& group, Step& step);
  void take(ClaimNumber number, Batch& batch);
  // Adds queued claims that fit.
  void fill(Group& group, Batch& batch);
  void ask(Group& group, const RoomId& room, Batch&& batch, Step& step);

  const MasterOptions& options_;
  Directory& directory_;
  Claims& claims_;
  Questions& questions_;
  Seating& seating_;
  MasterCounters& counters_;
};

}  // namespace fixkeep::master
