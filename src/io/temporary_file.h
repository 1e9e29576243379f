// A file on its way to its place.
#pragma once

#include <filesystem>
#include <string>

#include "io/descriptor.h"

namespace fovea {

// A new file beside `target`. It has no name until it is moved there, so that nothing is left of it however
// the program ends; where the file system cannot do that it has one, which remove_unfinished_files() knows.
class TemporaryFile {
 public:
  TemporaryFile(const std::filesystem::path& target, const std::string& where);
  // Under this name, of new_name(target): other processes know it, and open the file, too.
  TemporaryFile(const std::filesystem::path& target, const std::string& where,
                const std::filesystem::path& name);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int descriptor() const { return file_.get(); }
  const std::filesystem::path& name() const { return name_; }  // empty: it has none

  // Synchronised, and in place of whatever is there.
  void move_to_target();

  // In the folder of `target`; no other process chooses it.
  static std::filesystem::path new_name(const std::filesystem::path& target);

  static bool nameless_is_possible;  // false: as on file systems that cannot; for tests

 private:
  int create();
  int open_named() const;  // -1: it could not
  template <typename Make>
  bool make_name(const Make& make);  // calls make() for names until it returns true or fails otherwise
  void forget_name();
  [[noreturn]] void fail_with(const char* what) const;

  std::filesystem::path target_;
  const std::string& where_;
  std::filesystem::path name_;  // empty: it has none
  int slot_ = -1;               // of the name among those to be removed
  Descriptor file_;
};

// A name that remove_unfinished_files() knows while this lives: of a file that another process makes.
class UnfinishedName {
 public:
  explicit UnfinishedName(const std::string& name);
  ~UnfinishedName();
  UnfinishedName(const UnfinishedName&) = delete;
  UnfinishedName& operator=(const UnfinishedName&) = delete;

 private:
  int slot_;
};

}  // namespace fovea
