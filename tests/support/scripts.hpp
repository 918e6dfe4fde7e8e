// Tests as text: a section of a file is a test of its own, and each of its lines a command for the
// driver of the file, with what the driver has to answer.
//
//   ## Suite.what_holds                a test; its driver is a new one
//   # A line that begins so is for readers.
//   command and its words => answer    a command without "=>" has to be answered with nothing
//   another command                    an answer that is long, or has several lines, is indented
//     first line of the answer
//     second line
//
// Files are named from the root of the repository, where test programs run. With FIXKEEP_REWRITE=1
// in the environment the answers of the run take the place of those in the file; read the
// difference before you commit it.
//
// Thread rule: scripts are registered while static objects are made; a driver is used by one
// thread. Errors: a file that is not there, or has no test, is a test that fails.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixkeep::support {

class ScriptDriver {
 public:
  virtual ~ScriptDriver() = default;
  // Lines of the answer are separated by "\n", and none is empty.
  virtual std::string run(std::string_view command) = 0;
  // What is wrong when all commands are done; empty: nothing.
  virtual std::string end() { return {}; }
};

// A command that was not answered as it has to be.
struct ScriptFailure {
  std::size_t line = 0;  // of the command, from 1; 0: all commands were, and end() found something
  std::string command;
  std::string wanted;
  std::string answer;
};

// Plays the commands from `begin` on until the next test begins or the lines end, and puts `begin`
// there. `said` gets the same lines with the answers of this run.
std::vector<ScriptFailure> play_script(const std::vector<std::string>& lines, std::size_t& begin,
                                       ScriptDriver& driver, std::vector<std::string>& said);

// Registers the tests of the file. The value is for a static object to be initialised with.
bool register_scripts(const std::string& file,
                      const std::function<std::unique_ptr<ScriptDriver>()>& make);

// For what has no state: each command is answered by itself.
bool register_table(const std::string& file,
                    const std::function<std::string(std::string_view)>& answer);

// "a\r{x*3}\x00" becomes "a", CR, "xxx", NUL: \r, \n, \t, \\, \s (a blank) and \xHH are bytes, and
// {TEXT*N} is so many times the text.
[[nodiscard]] std::string bytes_of(std::string_view text);
// The reverse, without repetitions: bytes that are no printable ASCII are escaped.
[[nodiscard]] std::string shown(std::string_view bytes);

// The words of a command, which blanks separate.
class Words {
 public:
  explicit Words(std::string_view text);
  // The next word; empty where there is none.
  std::string next();
  // All that is left, as it stands.
  [[nodiscard]] std::string rest() const { return std::string{text_}; }
  [[nodiscard]] bool done() const { return text_.empty(); }

 private:
  std::string_view text_;
};

// What stands behind "KEY=" in a command; nothing where that does not.
[[nodiscard]] std::optional<std::string> named(std::string_view command, std::string_view key);

// The parts of a text between commas, or what else.
[[nodiscard]] std::vector<std::string> parts_of(std::string_view text, char between = ',');

}  // namespace fixkeep::support
