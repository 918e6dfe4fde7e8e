#include "worker/runner/hook/hook_records.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "common/process/descriptor.hpp"
#include "common/process/folder.hpp"
#include "worker/keeper/texts.hpp"

namespace fixkeep::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view record_version = "1";
constexpr std::string_view unfinished = "~";  // no name of an object ends with it

void append_list(std::string& text, const std::vector<std::string>& words) {
  keeper::append_text(text, std::to_string(words.size()));
  for (const std::string& word : words) keeper::append_text(text, word);
}

template <class Number>
std::optional<Number> take_number(std::string_view& text) {
  const auto word = keeper::take_text(text);
  Number number{};
  if (!word) return std::nullopt;
  const auto [end, error] = std::from_chars(word->data(), word->data() + word->size(), number);
  if (error != std::errc{} || end != word->data() + word->size()) return std::nullopt;
  return number;
}

bool take_list(std::string_view& text, std::vector<std::string>& words) {
  const auto count = take_number<std::uint32_t>(text);
  if (!count) return false;
  for (std::uint32_t i = 0; i < *count; ++i) {
    const auto word = keeper::take_text(text);
    if (!word) return false;
    words.emplace_back(*word);
  }
  return true;
}

bool take_place(std::string_view& text, std::optional<wire::RoomPlace>& place) {
  const auto host = keeper::take_text(text);
  if (!host) return false;
  place.emplace().host = std::string{*host};
  while (!text.empty()) {
    const auto name = keeper::take_text(text);
    const auto port = take_number<std::uint16_t>(text);
    if (!name || !port) return false;
    place->ports.push_back({std::string{*name}, *port});
  }
  return !place->ports.empty();
}

}  // namespace

std::string to_text(const HookRecord& record) {
  std::string text;
  keeper::append_text(text, record_version);
  append_list(text, record.stop);
  append_list(text, record.list);
  append_list(text, record.environment);
  keeper::append_text(text, std::to_string(record.limit.count()));
  if (!record.place) return text;
  keeper::append_text(text, record.place->host);
  for (const auto& [name, number] : record.place->ports) {
    keeper::append_text(text, name);
    keeper::append_text(text, std::to_string(number));
  }
  return text;
}

std::optional<HookRecord> to_hook_record(std::string_view text) {
  HookRecord record;
  if (keeper::take_text(text) != record_version) return std::nullopt;
  if (!take_list(text, record.stop) || !take_list(text, record.list) ||
      !take_list(text, record.environment)) {
    return std::nullopt;
  }
  const auto limit = take_number<std::int64_t>(text);
  if (!limit || record.stop.empty() || record.list.empty()) return std::nullopt;
  record.limit = std::chrono::milliseconds{*limit};
  if (!text.empty() && !take_place(text, record.place)) return std::nullopt;
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
  const std::string path = folder_ + "/" + object;
  const std::string next = path + std::string{unfinished};
  const process::Descriptor file{
      ::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR)};
  if (!file || !process::write_all(file.get(), to_text(record)) ||
      ::rename(next.c_str(), path.c_str()) != 0) {
    return "cannot write " + path + ": " + std::strerror(errno);
  }
  return {};
}

void HookRecords::remove(const std::string& object) const {
  ::unlink((folder_ + "/" + object).c_str());
}

}  // namespace fixkeep::worker
