#include "worker/journal/journal.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/crc.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <utility>

#include "common/process/folder.hpp"
#include "worker/journal/codec.hpp"

namespace fixkeep::worker::journal {
namespace {

constexpr std::array<char, 8> magic{'F', 'K', 'J', 'R', 'N', 'L', '2', '\n'};
constexpr std::uint64_t nobody_knows = std::numeric_limits<std::uint64_t>::max();

// Numbers have the machine's byte order: the file is not for machines of another kind.
struct Header {
  std::array<char, 8> word = magic;
  std::uint64_t incarnation = 0;
  std::int64_t epoch_ns = 0;
  std::array<char, 40> boot{};
  SeatRoot seat_root{};
  std::uint32_t checksum = 0;  // checksum of all fields before it
  std::uint32_t unused = 0;
  std::uint64_t answered_for = 0;  // number of confirmed bytes of the file
};
static_assert(sizeof(Header) == 112 && offsetof(Header, answered_for) % 8 == 0);

struct Frame {
  std::uint32_t length = 0;
  std::uint32_t checksum = 0;
};

std::uint32_t crc32c(const void* bytes, std::size_t count) {
  boost::crc_optimal<32, 0x1EDC6F41U, 0xFFFFFFFFU, 0xFFFFFFFFU, true, true> crc;
  crc.process_bytes(bytes, count);
  return crc.checksum();
}

std::uint32_t checksum_of(const Header& header) {
  return crc32c(&header, offsetof(Header, checksum));
}

Header header_of(const Identity& identity, std::uint64_t bytes) {
  Header header;
  header.incarnation = identity.incarnation.number();
  header.epoch_ns = identity.epoch.time_since_epoch().count();
  identity.boot.copy(header.boot.data(), header.boot.size() - 1);
  header.seat_root = identity.seat_root;
  header.checksum = checksum_of(header);
  header.answered_for = bytes;
  return header;
}

std::string frames_of(const Records& records) {
  std::string all;
  for (const Record& record : records) {
    const std::string bytes = to_bytes(record);
    const Frame frame{static_cast<std::uint32_t>(bytes.size()), crc32c(bytes.data(), bytes.size())};
    all.append(reinterpret_cast<const char*>(&frame), sizeof frame);
    all += bytes;
  }
  return all;
}

boost::system::error_code last_error() {
  return {errno, boost::system::system_category()};
}

// Stops at the first record that is cut off or damaged. Skips a record that this version cannot
// read: `reading` is then incomplete.
std::size_t read_records(std::string_view bytes, Reading& reading) {
  std::size_t at = sizeof(Header);
  for (Frame frame; bytes.size() - at >= sizeof frame;) {
    std::memcpy(&frame, bytes.data() + at, sizeof frame);
    const std::string_view rest = bytes.substr(at + sizeof frame);
    if (frame.length > longest_record || frame.length > rest.size()) break;
    if (crc32c(rest.data(), frame.length) != frame.checksum) break;
    if (const auto record = to_record(rest.substr(0, frame.length))) {
      reading.memory.apply(*record);
    } else {
      reading.complete = false;
    }
    at += sizeof frame + frame.length;
  }
  return at;
}

constexpr wire::WorkerTime longest_life = std::chrono::hours{24 * 365 * 30};

// It is unknown how long the worker was away, so its clock continues from the latest time at which
// a room opened.
void go_by_another_clock(Reading& reading, TimePoint now) {
  wire::WorkerTime latest{};
  for (const auto& [number, each] : reading.memory.rooms) {
    latest = std::max(latest, each.room.opened_at);
  }
  const TimePoint epoch = now - Duration{std::min(latest, longest_life)};
  for (auto& [number, each] : reading.memory.rooms) {
    if (each.room.drained_by) *each.room.drained_by += epoch - reading.identity.epoch;
  }
  reading.identity.epoch = epoch;
}

}  // namespace

std::string boot_id() {
  std::ifstream file{"/proc/sys/kernel/random/boot_id"};
  std::string id;
  std::getline(file, id);
  return id.substr(0, sizeof(Header::boot) - 1);
}

Reading read(const std::string& path, const std::string& boot, Games games, TimePoint now) {
  Reading reading;
  std::ifstream file{path, std::ios::binary | std::ios::ate};
  if (!file) return reading;
  reading.state = Reading::State::unreadable;
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(file.tellg(), 0));
  Header header;
  if (size < sizeof header || size > largest_file) return reading;
  std::string bytes(size, '\0');
  file.seekg(0);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size))) return reading;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.word != magic || header.checksum != checksum_of(header)) return reading;
  reading.identity = {Incarnation{header.incarnation}, TimePoint{Duration{header.epoch_ns}},
                      std::string{header.boot.data()}, header.seat_root};
  const bool another_boot = reading.identity.boot != boot;
  if (another_boot && games == Games::here) {
    reading.state = Reading::State::another_boot;
    return reading;
  }
  reading.state = Reading::State::found;
  const std::size_t whole = read_records(bytes, reading);
  if (whole < header.answered_for) {
    reading.complete = false;
    reading.lost_bytes = header.answered_for == nobody_knows ? 0 : header.answered_for - whole;
  }
  if (another_boot) {
    reading.complete = false;
    reading.identity.boot = boot;
    go_by_another_clock(reading, now);
  }
  return reading;
}

Journal::Journal(std::string path, Identity identity)
    : path_(std::move(path)), identity_(std::move(identity)) {}

Journal::~Journal() {
  close();
}

void Journal::close() {
  if (header_ != nullptr) ::munmap(std::exchange(header_, nullptr), sizeof(Header));
  if (file_ >= 0) ::close(std::exchange(file_, -1));
}

Result<> Journal::rewrite(const Records& snapshot) {
  const std::string next = path_ + ".new";
  const int file = ::open(next.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return last_error();
  const std::string records = frames_of(snapshot);
  const std::size_t size = sizeof(Header) + records.size();
  const Header header = header_of(identity_, size);
  std::string bytes{reinterpret_cast<const char*>(&header), sizeof header};
  bytes += records;
  auto written = fixkeep::process::write_all(file, bytes);
  void* page = MAP_FAILED;
  if (written) {
    page = ::mmap(nullptr, sizeof(Header), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page == MAP_FAILED || ::rename(next.c_str(), path_.c_str()) != 0) written = last_error();
  }
  if (!written) {
    if (page != MAP_FAILED) ::munmap(page, sizeof(Header));
    ::close(file);
    ::unlink(next.c_str());
    return written;
  }
  close();
  file_ = file;
  header_ = page;
  size_ = size;
  snapshot_size_ = size;
  behind_ = false;
  return {};
}

Result<> Journal::append(const Records& records) {
  if (records.empty()) return {};
  const std::string frames = frames_of(records);
  auto written = fixkeep::process::write_all(file_, frames);
  if (!written) {
    behind_ = true;
    answer_for(nobody_knows);
    return written;
  }
  size_ += frames.size();
  if (!behind_) answer_for(size_);
  return {};
}

void Journal::answer_for(std::uint64_t bytes) const {
  auto& field = static_cast<Header*>(header_)->answered_for;
  std::atomic_ref<std::uint64_t>{field}.store(bytes, std::memory_order_release);
}

bool Journal::wants_snapshot() const {
  return behind_ || size_ > std::max(smallest_growth, growth * snapshot_size_);
}

}  // namespace fixkeep::worker::journal
