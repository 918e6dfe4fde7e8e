#include "common/config/document.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <memory>
#include <sstream>

#include "common/config/suggestion.hpp"

namespace fixkeep::config {
namespace {

// The place of the last byte read. The parser reports a number only after it has read the next
// byte, often a line break. Therefore a line break still belongs to the line that it ends.
struct Place {
  std::size_t line = 1;
  std::size_t column = 0;
  bool line_ended = false;

  void read(char c) {
    if (line_ended) {
      ++line;
      column = 0;
    }
    ++column;
    line_ended = c == '\n';
  }
};

// Gives the parser the text byte by byte and updates the place.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, Place* place) : at_(at), place_(place) {}

  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    place_->read(*at_++);
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.at_ == b.at_;
  }

 private:
  const char* at_;
  Place* place_;
};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// Turns "[json.exception.parse_error.101] parse error at line 3, column 5: syntax error while
// parsing object - unexpected string literal; expected '}'" into a sentence for an operator. The
// sentence omits the last token read, which may be a secret. The message quotes this token without
// escapes. Therefore the end of the token is found by the words that follow it: "'; expected …".
std::string in_plain_words(std::string message) {
  // Since version 3.11.3 the library has a special message for an empty text.
  if (message.find("parse an empty input") != std::string::npos) return "found the end of the file";
  const auto start = message.find(" - ");
  // The message about a number that is too large has another form.
  if (start == std::string::npos) return "found a number that is too large";
  message.erase(0, start + 3);
  constexpr std::string_view content_begin = "; last read: '";
  if (const auto content = message.find(content_begin); content != std::string::npos) {
    std::string expected;
    for (const std::string_view words :
         {"'}'", "']'", "':'", "','", "string literal", "end of input", "'[', '{', or a literal"}) {
      const auto end = "'; expected " + std::string{words};
      if (message.size() >= content + content_begin.size() + end.size() && message.ends_with(end)) {
        expected = end.substr(1);
      }
    }
    message.erase(content);
    message += expected;
  }
  replace_all(message, "unexpected ", "found ");
  replace_all(message, "found string literal", "found a text");
  replace_all(message, "found number literal", "found a number");
  replace_all(message, "found end of input", "found the end of the file");
  replace_all(message, "expected '}'", "expected ',' or '}'");
  replace_all(message, "expected ']'", "expected ',' or ']'");
  replace_all(message, "expected string literal", "expected a key in quotes");
  replace_all(message, "expected end of input", "expected nothing more");
  replace_all(message, "expected '[', '{', or a literal", "expected a value");
  return message;
}

// Builds the value and the map of lines in one pass.
class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(Document& document, const Place& place, Problems& problems)
      : document_(document), place_(place), problems_(problems) {}

  bool null() override { return value(nullptr); }
  bool boolean(bool given) override { return value(given); }
  bool number_integer(std::int64_t given) override { return value(given); }
  bool number_unsigned(std::uint64_t given) override { return value(given); }
  bool number_float(double given, const std::string&) override { return value(given); }
  bool string(std::string& given) override { return value(std::move(given)); }
  bool binary(Json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    const std::string path = member_key(open_.back().key, name);
    if (open_.back().value->contains(name)) {
      problems_.push_back({line_text(), place_.line, path,
                           fmt::format("stands here for the second time; the first is in line {}",
                                       document_.origin(path).line)});
    }
    remember(path);
    open_.back().member = std::move(name);
    return true;
  }

  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::detail::exception& error) override {
    problems_.push_back({place_text(), place_.line, "", in_plain_words(error.what())});
    return false;
  }

 private:
  struct Open {
    Json* value;
    std::string key;
    std::string member;  // the key that was read last
  };

  [[nodiscard]] std::string line_text() const {
    return fmt::format("{}:{}", document_.name(), place_.line);
  }
  [[nodiscard]] std::string place_text() const {
    return fmt::format("{}:{}", line_text(), place_.column);
  }

  void remember(const std::string& path) {
    document_.set_origin(path, {line_text(), place_.line, Layer::file});
  }

  // Adds the value to the open list or object.
  std::pair<Json*, std::string> put(Json&& given) {
    if (open_.empty()) {
      document_.root() = std::move(given);
      return {&document_.root(), ""};
    }
    Open& parent = open_.back();
    if (parent.value->is_array()) {
      std::string path = entry_key(parent.key, parent.value->size());
      remember(path);
      parent.value->push_back(std::move(given));
      return {&parent.value->back(), std::move(path)};
    }
    Json& member = (*parent.value)[parent.member];
    member = std::move(given);
    return {&member, member_key(parent.key, parent.member)};
  }

  bool value(Json&& given) {
    put(std::move(given));
    return true;
  }
  bool open(Json&& given) {
    // No configuration of ours is nested so deeply. A deeper document would need much memory for
    // its long keys.
    if (open_.size() == nesting_most) {
      problems_.push_back({place_text(), place_.line, "", "is nested too deeply"});
      return false;
    }
    auto [value, path] = put(std::move(given));
    open_.push_back({value, std::move(path), {}});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  Document& document_;
  const Place& place_;
  Problems& problems_;
  std::vector<Open> open_;
};

}  // namespace

// A pipe or a device could block the reader or never end. Therefore open() does not wait, and only
// regular files are read.
std::string read_file(const std::string& path, std::string& out) {
  const auto why = [] { return std::string{std::strerror(errno)}; };
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return why();
  const std::unique_ptr<const int, void (*)(const int*)> closed{
      &file, [](const int* each) { ::close(*each); }};
  struct stat found {};
  if (::fstat(file, &found) != 0) return why();
  if (S_ISDIR(found.st_mode)) return std::strerror(EISDIR);
  if (!S_ISREG(found.st_mode)) return "it is no regular file";
  out.clear();
  std::array<char, 16384> some{};
  for (;;) {
    const auto count = ::read(file, some.data(), some.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return why();
    if (count == 0) return {};
    out.append(some.data(), static_cast<std::size_t>(count));
    if (out.size() > read_bytes_most) return "it has more than 4 MiB";
  }
}

std::string read_file(const std::string& path, std::ostream& out) {
  std::string text;
  auto reason = read_file(path, text);
  out << text;
  return reason;
}

Document::Document() : name_("the configuration"), root_(Json::object()) {
  set_origin("", {name_, 0, Layer::file});
}

Document Document::from_text(const std::string& name, std::string_view text, Problems& problems) {
  Document document;
  document.name_ = name;
  document.set_origin("", {name + ":1", 1, Layer::file});
  Place place;
  Builder builder{document, place, problems};
  const bool parsed = Json::sax_parse(CountingIterator{text.data(), &place},
                                      CountingIterator{text.data() + text.size(), &place}, &builder,
                                      Json::input_format_t::json, true, true);
  if (!parsed) document.root_ = Json::object();
  return document;
}

Document Document::from_file(const std::string& path, Problems& problems) {
  std::ostringstream text;
  if (const auto reason = read_file(path, text); !reason.empty()) {
    problems.push_back({path, 0, "", "cannot be read: " + reason});
    return {};
  }
  if (text.view().size() > file_bytes_most) {
    problems.push_back({path, 0, "", "is larger than a configuration may be (1 MiB)"});
    return {};
  }
  return from_text(path, text.view(), problems);
}

void Document::replace_origin(const std::string& key, Origin origin) {
  std::erase_if(origins_, [&key](const auto& entry) { return within(entry.first, key); });
  set_origin(key, std::move(origin));
}

void Document::append(const std::string& list, const Document& entry) {
  if (!root_.contains(list)) {
    root_[list] = Json::array();
    set_origin(list, entry.origin(""));
  }
  Json& entries = root_[list];
  if (!entries.is_array()) return;
  const std::string at = entry_key(list, entries.size());
  entries.push_back(entry.root_);
  for (const auto& [key, origin] : entry.origins_) {
    set_origin(key.empty() ? at : at + "." + key, origin);
  }
}

const Origin& Document::origin(std::string_view key) const {
  while (true) {
    const auto found = origins_.find(key);
    if (found != origins_.end()) return found->second;
    const auto last = key.find_last_of(".[");
    key = last == std::string_view::npos ? "" : key.substr(0, last);
  }
}

Problem Document::problem(std::string key, std::string message) const {
  const Origin& from = origin(key);
  return {from.where, from.line, std::move(key), std::move(message)};
}

std::vector<std::string> split_key(std::string_view key) {
  std::vector<std::string> steps;
  std::string step;
  for (const char c : key) {
    if (c == '.' || c == '[') {
      if (!step.empty()) steps.push_back(std::exchange(step, {}));
    } else if (c != ']') {
      step += c;
    }
  }
  if (!step.empty()) steps.push_back(step);
  return steps;
}

const Json* find(const Json& root, std::string_view key) {
  const Json* at = &root;
  for (const auto& step : split_key(key)) {
    if (at->is_object()) {
      const auto member = at->find(step);
      if (member == at->end()) return nullptr;
      at = &*member;
    } else if (at->is_array()) {
      const auto index = parse_index(step);
      if (!index || *index >= at->size()) return nullptr;
      at = &(*at)[*index];
    } else {
      return nullptr;
    }
  }
  return at;
}

bool within(std::string_view inner, std::string_view outer) {
  return inner.starts_with(outer) &&
         (inner.size() == outer.size() || inner[outer.size()] == '.' || inner[outer.size()] == '[');
}

std::string member_key(const std::string& parent, std::string_view member) {
  return parent.empty() ? std::string{member} : parent + "." + std::string{member};
}

std::string entry_key(const std::string& parent, std::size_t index) {
  return parent + "[" + std::to_string(index) + "]";
}

}  // namespace fixkeep::config
