// The journal of a worker is a file of records, from which the worker's next run continues.
//
//   header    magic, the worker's incarnation, the epoch of its clock, the boot of the machine, the
//             root of its rooms' keys, a checksum of these, and how many bytes of the file are
//             confirmed
//   records   length, CRC-32C, and a record (records.hpp), one after another
//
// The events of a batch are appended in one write before any of them is answered. Then the header
// confirms them by one store into a mapped page. A reader can thus distinguish three cases. A
// complete record counts. An incomplete record after the confirmed bytes is ignored. An incomplete
// record within the confirmed bytes is lost (see Reading::complete). When the file has grown
// enough, the worker writes a snapshot into a new file and renames the new file over the old one.
//
// Nothing is forced to the disk (no fsync). A killed process loses nothing that it has written. If
// the machine stops, its games end too, so a journal of another boot is useless. Games that run
// elsewhere (such as pods) survive, but the latest records may be lost with the machine. After
// another boot, a journal of such games is therefore read as incomplete, and its times are
// converted to the present clock.
//
// Fault model: the worker is killed at any instruction; the file is cut, overwritten or removed;
// the disk is full. Thread rule: one owner. Bounds: `longest_record`; `largest_file`; a file grows
// to `growth` times its snapshot and at least `smallest_growth`. Errors: returned with errno; see
// behind().
#pragma once

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

[[nodiscard]] std::string boot_id();  // at most 39 characters; empty if unknown

struct Reading {
  enum class State : std::uint8_t {
    none,          // there is no file
    unreadable,    // the file is not a journal, or its header is damaged
    another_boot,  // the machine has restarted since the file was made
    found,
  };
  State state = State::none;
  Identity identity;  // set if the state is `found`
  Memory memory;
  bool complete = true;  // every confirmed record is there
  std::size_t lost_bytes = 0;
};

// Says whether games end together with their worker's machine.
enum class Games : std::uint8_t { here, elsewhere };

// Reads the journal. Never fails: if something could not be read, Reading::state or
// Reading::complete says so. `now`: by this machine's clock.
[[nodiscard]] Reading read(const std::string& path, const std::string& boot,
                           Games games = Games::here, TimePoint now = {});

class Journal {
 public:
  Journal(std::string path, Identity identity);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Replaces the file's content by these records, in one step.
  Result<> rewrite(const Records& snapshot);
  // REQUIRES: one earlier rewrite() has succeeded.
  Result<> append(const Records& records);
  [[nodiscard]] bool wants_snapshot() const;
  // Returns true if a write has failed, so that the file lacks records. Only rewrite() repairs the
  // file. Until then, a reader sees that the file is incomplete.
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
