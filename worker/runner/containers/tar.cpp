#include "worker/runner/containers/tar.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>

namespace fixkeep::worker::containers {
namespace {

constexpr std::size_t block_bytes = 512;
constexpr std::size_t name_bytes = 100;
constexpr unsigned folder_mode = 0777;
constexpr unsigned file_mode = 0666;

using Block = std::array<char, block_bytes>;

void put(Block& block, std::size_t offset, std::string_view text) {
  text.copy(block.data() + offset, text.size());
}

// Writes this many octal digits and a NUL.
void put_octal(Block& block, std::size_t offset, std::size_t digits, std::uint64_t value) {
  for (std::size_t i = digits; i > 0; --i, value >>= 3U) {
    block[offset + i - 1] = static_cast<char>('0' + (value & 7U));
  }
}

std::string padded(std::string_view text) {
  std::string all{text};
  all.resize((text.size() + block_bytes - 1) / block_bytes * block_bytes);
  return all;
}

std::string head_of(std::string_view name, char type, unsigned mode, std::uint64_t size) {
  Block block{};
  put(block, 0, name.substr(0, name_bytes));
  put_octal(block, 100, 7, mode);
  put_octal(block, 108, 7, 0);  // user and group
  put_octal(block, 116, 7, 0);
  put_octal(block, 124, 11, size);
  put_octal(block, 136, 11, 0);  // time of the last change
  block[156] = type;
  put(block, 257, "ustar");
  put(block, 263, "00");
  put(block, 148, "        ");  // the checksum counts its own field as blanks
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  put_octal(block, 148, 6, sum);
  block[154] = '\0';
  return {block.data(), block.size()};
}

// A pax record is "LENGTH path=NAME\n". LENGTH includes its own digits.
std::string record_of_name(std::string_view name) {
  const std::string rest = " path=" + std::string{name} + "\n";
  std::size_t length = rest.size();
  while (length != rest.size() + std::to_string(length).size()) {
    length = rest.size() + std::to_string(length).size();
  }
  return std::to_string(length) + rest;
}

std::string entry(std::string_view name, char type, unsigned mode, std::string_view text) {
  std::string all;
  if (name.size() > name_bytes) {
    const std::string record = record_of_name(name);
    all = head_of("pax", 'x', file_mode, record.size()) + padded(record);
  }
  return all + head_of(name, type, mode, text.size()) + padded(text);
}

}  // namespace

std::string tar_of(const std::string& folder, const std::vector<GameFile>& files) {
  std::string all = entry(folder + "/", '5', folder_mode, {});
  std::set<std::string> made;
  for (const GameFile& file : files) {
    for (auto slash = file.path.find('/'); slash != std::string::npos;
         slash = file.path.find('/', slash + 1)) {
      const std::string parent = folder + "/" + file.path.substr(0, slash + 1);
      if (made.insert(parent).second) all += entry(parent, '5', folder_mode, {});
    }
    all += entry(folder + "/" + file.path, '0', file_mode, file.text);
  }
  return all + std::string(2 * block_bytes, '\0');
}

}  // namespace fixkeep::worker::containers
