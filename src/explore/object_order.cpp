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

ObjectRecord read_object_log(const std::string& directory) {
  ObjectRecord record;
  const int file = open((directory + kObjectLogFile).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return record;
  std::uint32_t header[4] = {};
  if (pread(file, header, sizeof header, 0) == sizeof header) {
    record.entries.resize(std::min(header[1], ObjectLog::kMost));
    record.full = header[2] != 0;
    record.given_up = header[3] != 0;
    const std::size_t bytes = record.entries.size() * sizeof(ObjectLogEntry);
    if (pread(file, record.entries.data(), bytes, offsetof(ObjectLog, entries)) !=
        static_cast<ssize_t>(bytes))
      record.entries.clear();
  }
  close(file);
  return record;
}

}  // namespace photofinish
