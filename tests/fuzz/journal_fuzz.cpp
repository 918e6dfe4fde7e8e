// A journal whose file is anything: the records of an earlier run, damaged or not.
//
// The first byte says what of the frame is repaired, so that an input comes past the checksums:
// 1 the header, 2 the lengths and checksums of the records; then come records, each with a length
// of two bytes before it. With neither, the input is the file.
#include <sys/mman.h>
#include <unistd.h>

#include <boost/crc.hpp>
#include <cstring>
#include <fstream>
#include <string>

#include "common/base/assert.hpp"
#include "tests/fuzz/input_file.hpp"
#include "tests/fuzz/script.hpp"
#include "tests/fuzz/targets.hpp"
#include "worker/core/room_host.hpp"
#include "worker/journal/codec.hpp"
#include "worker/journal/journal.hpp"

namespace fixkeep::fuzz {
namespace {

namespace journal = worker::journal;

constexpr const char* journal_boot = "b";

// What a record says is within its bounds, so it can be written again and is the same.
void check_record(std::string_view bytes) {
  const auto record = journal::to_record(bytes);
  if (!record) return;
  const auto again = journal::to_record(journal::to_bytes(*record));
  FIXKEEP_ASSERT(again && *again == *record, "kind " + std::to_string(record->index()));
}

std::string journal_header() {
  static const std::string header = [] {
    const auto path = "/tmp/fixkeep-fuzz-journal-" + std::to_string(::getpid());
    {
      journal::Journal made{path,
                            {.incarnation = Incarnation{5}, .epoch = {}, .boot = journal_boot}};
      FIXKEEP_ASSERT(made.rewrite({}), "cannot write " + path);
    }
    std::ifstream in{path, std::ios::binary};
    std::string bytes{std::istreambuf_iterator<char>{in}, {}};
    ::unlink(path.c_str());
    return bytes;
  }();
  return header;
}

void append_number(std::uint32_t number, std::string& out) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::string frame_of(std::string_view record) {
  boost::crc_optimal<32, 0x1EDC6F41U, 0xFFFFFFFFU, 0xFFFFFFFFU, true, true> crc;
  crc.process_bytes(record.data(), record.size());
  std::string frame;
  append_number(static_cast<std::uint32_t>(record.size()), frame);
  append_number(crc.checksum(), frame);
  return frame.append(record);
}

std::string journal_file_of(std::string_view bytes) {
  Script script{bytes};
  const unsigned repaired = script.byte();
  std::string file = (repaired & 1U) != 0 ? journal_header() : std::string{};
  while ((repaired & 2U) != 0 && !script.empty()) {
    const std::size_t high = script.byte();
    const auto record = script.take(high << 8U | script.byte());
    check_record(record);
    file += frame_of(record);
  }
  return file.append(script.take_rest());
}

// A worker goes on with what was read; the masters are told of it.
void go_on_with(const journal::Reading& reading) {
  worker::RoomHostOptions options;
  options.self = WorkerId{"w1"};
  options.modes = {worker::ModeOptions{.name = ModeName{"duel"}}};
  options.keep_records = true;
  TimePoint now{std::chrono::seconds{1000}};
  worker::RoomHost host{options, now};
  worker::Actions out;
  host.step(worker::Recovered{.memory = reading.memory, .complete = reading.complete}, now, out);
  host.step(worker::MasterConnected{MasterId{1}}, now, out);
  host.step(worker::BatchEnded{}, now, out);
  for (int i = 0; i < 4 && host.next_tick() != TimePoint::max(); ++i) {
    now = std::max(now, host.next_tick());
    host.step(worker::TimePassed{}, now, out);
    host.step(worker::BatchEnded{}, now, out);
  }
  for (const auto& room : host.rooms()) {
    FIXKEEP_ASSERT(room.players.size() <= room.capacity, std::to_string(room.number.number()));
  }
  (void)host.snapshot();
}

}  // namespace

void fuzz_journal(std::string_view bytes) {
  const InputFile file{journal_file_of(bytes)};
  const auto reading = journal::read(file.path(), journal_boot);
  if (reading.state != journal::Reading::State::found) {
    FIXKEEP_ASSERT(reading.memory == worker::Memory{}, "remembers what it cannot read");
    return;
  }
  go_on_with(reading);
}

}  // namespace fixkeep::fuzz
