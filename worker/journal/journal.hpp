// The journal of a worker: a file of records. The next run goes on from it.
//
//   header    magic, the worker's incarnation, the epoch of its clock, the boot of the machine, the
//             root of its rooms' keys, a checksum of these, and how many bytes of the file are
//             confirmed
//   records   length, CRC-32C, and a record of journal.proto, one after another
//
// The events of a batch are appended in one write before any of them is answered. Then the header
// confirms them by one store into a mapped page. A reader thus tells three cases apart. A complete
// record counts. An incomplete record beyond the confirmed bytes never happened. The third case is
// a confirmed record that is lost (see Reading::complete). When the file has grown enough, a
// snapshot in a new file replaces it by a rename.
//
// Nothing is forced to the disk. A killed process loses nothing that it has written. With the
// machine all its games die too, so a journal of another boot has nothing to say. Games that run
// elsewhere (such as pods) are still there but the latest records may have died with the machine.
// Their journal is read as incomplete by the clock of this machine.
//
// Fault model: the worker is killed at any instruction; the file is cut, overwritten or removed;
// the disk is full. Thread rule: one owner. Bounds: `longest_record`; `largest_file`; a file grows
// to `growth` times its snapshot and at least `smallest_growth`. Errors: errno; see behind().
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "worker/core/memory.hpp"

namespace fixkeep::worker::journal {

inline constexpr std::size_t longest_record = 64U << 10U;
inline constexpr std::size_t largest_file = 256U << 20U;
inline constexpr std::size_t smallest_growth = 1U << 20U;
inline constexpr std::size_t growth = 4;

// The owner of the journal.
struct Identity {
  Incarnation incarnation;
  TimePoint epoch;   // epoch of the worker's clock
  std::string boot;  // the machine's boot, see boot_id()
  SeatRoot seat_root{};

  friend bool operator==(const Identity&, const Identity&) = default;
};

[[nodiscard]] std::string boot_id();  // 39 characters or less; empty if the system does not say

struct Reading {
  enum class State : std::uint8_t {
    none,          // there is no file
    unreadable,    // it is not ours, or its header is damaged
    another_boot,  // the machine was started since
    found,
  };
  State state = State::none;
  Identity identity;  // set if it was found
  Memory memory;
  bool complete = true;  // every confirmed record is there
  std::size_t lost_bytes = 0;
};

// Says whether games end with the machine on which their worker runs.
enum class Games : std::uint8_t { here, elsewhere };

// Never fails: the state tells what could not be read. `now`: by this machine's clock.
[[nodiscard]] Reading read(const std::string& path, const std::string& boot,
                           Games games = Games::here, TimePoint now = {});

class Journal {
 public:
  Journal(std::string path, Identity identity);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Replaces the file by these records in one step.
  Result<> rewrite(const Records& snapshot);
  // REQUIRES: rewrite() has succeeded once.
  Result<> append(const Records& records);
  [[nodiscard]] bool wants_snapshot() const;
  // A write has failed: the file lacks something. Only rewrite() mends it. Until then a reader
  // learns that the file is incomplete.
  [[nodiscard]] bool behind() const { return behind_; }
  [[nodiscard]] std::size_t bytes() const { return size_; }

 private:
  void close();
  void answer_for(std::uint64_t bytes) const;

  std::string path_;
  Identity identity_;
  int file_ = -1;
  void* header_ = nullptr;  // the file's first page
  std::size_t size_ = 0;
  std::size_t snapshot_size_ = 0;
  bool behind_ = false;
};

}  // namespace fixkeep::worker::journal
