#include "explore/object_order.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

#include "trace/sealed_file.h"

namespace photofinish {
namespace {

constexpr char kObjectMagic[8] = {'P', 'H', 'O', 'T', 'O', 'O', 'B', 'J'};

}  // namespace

template <class A>
void describe(A& a, ObjectOrder& d) {
  a(d.line, d.ranks);
}

bool may_use_object(Call call) {
  switch (traits(call).action) {
    case Action::Accumulate:
    case Action::GetAccumulate:
    case Action::FetchAndOp:
    case Action::CompareAndSwap:
    case Action::Lock:
    case Action::Unlock:
    case Action::LockAcquire:
    case Action::LockRelease:
    case Action::Put:
    case Action::PutSignal:
      return true;
    case Action::WaitUntil:
      return traits(call).when == When::Blocks;
    default:
      return false;
  }
}

Result<bool> write_object_orders(const std::string& directory,
                                 const std::vector<ObjectOrder>& orders) {
  return write_sealed(directory + kObjectOrderFile, kObjectMagic, encoded(orders));
}
Result<std::vector<ObjectOrder>> read_object_orders(const std::string& directory) {
  return read_sealed_value<std::vector<ObjectOrder>>(directory + kObjectOrderFile, kObjectMagic);
}

std::vector<ObjectLogEntry> read_object_log(const std::string& directory, bool& full) {
  std::vector<ObjectLogEntry> entries;
  full = false;
  const int file = open((directory + kObjectLogFile).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return entries;
  std::uint32_t header[4] = {};
  if (pread(file, header, sizeof header, 0) == sizeof header) {
    entries.resize(std::min(header[1], ObjectLog::kMost));
    full = header[2] != 0;
    const std::size_t bytes = entries.size() * sizeof(ObjectLogEntry);
    if (pread(file, entries.data(), bytes, offsetof(ObjectLog, entries)) !=
        static_cast<ssize_t>(bytes))
      entries.clear();
  }
  close(file);
  return entries;
}

}  // namespace photofinish
