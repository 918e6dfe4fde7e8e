#include "worker/runner/hook/hook_records.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "worker/keeper/entries.hpp"
#include "worker/keeper/place.hpp"
#include "worker/runner/hook/hook_answer.hpp"

namespace fixkeep::worker {
namespace {

namespace fs = std::filesystem;

// The ending that write_whole() adds. No object's name ends with it.
constexpr std::string_view unfinished = ".new";
void visit(const auto& fields, auto& record, auto& place) {
  fields('s', record.stop);
  fields('l', record.list);
  fields('e', record.environment);
  fields('p', place);
  fields('t', record.limit);
}

}  // namespace

std::string to_text(const HookRecord& record) {
  std::string text;
  const std::string place = record.place ? to_line(*record.place) : std::string{};
  visit(keeper::EntryWriter{text}, record, place);
  return text;
}

std::optional<HookRecord> to_hook_record(std::string_view text) {
  HookRecord record;
  std::string line;
  const bool good = keeper::read_entries(
      text, [&](const keeper::EntryReader& entry) { visit(entry, record, line); });
  if (!good || record.stop.empty() || record.list.empty() || record.limit.count() == 0) {
    return std::nullopt;
  }
  if (line.empty()) return record;
  auto place = parse_place(line);
  if (place.index() != 0) return std::nullopt;
  record.place = std::get<0>(std::move(place));
  return record;
}

std::string HookRecords::open(std::map<std::string, HookRecord, std::less<>>& found) const {
  std::error_code error;
  fs::create_directory(folder_, error);
  if (error || ::chmod(folder_.c_str(), S_IRWXU) != 0) {
    return "cannot use " + folder_ + ": " + (error ? error.message() : std::strerror(errno));
  }
  for (fs::directory_iterator next{folder_, error}, end; !error && next != end;
       next.increment(error)) {
    std::ifstream file{next->path(), std::ios::binary};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    auto record = to_hook_record(text);
    const auto object = next->path().filename().string();
    if (record && !object.ends_with(unfinished)) found.emplace(object, *std::move(record));
  }
  return error ? "cannot read " + folder_ + ": " + error.message() : "";
}

std::string HookRecords::write(const std::string& object, const HookRecord& record) const {
  const auto written = keeper::write_whole(folder_ + "/" + object, to_text(record));
  return written ? "" : "cannot write " + folder_ + "/" + object + ": " + written.error().message();
}

void HookRecords::remove(const std::string& object) const {
  ::unlink((folder_ + "/" + object).c_str());
}

}  // namespace fixkeep::worker
