#include "confirm/schedule.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "trace/sealed_file.h"

namespace photofinish {
namespace {

constexpr char kScheduleMagic[8] = {'P', 'H', 'O', 'T', 'O', 'S', 'C', 'H'};

}  // namespace

template <class A>
void describe(A& a, ScheduledSide& d) {
  a(d.kind, d.call, d.places, d.rank, d.arrival);
}
template <class A>
void describe(A& a, Schedule::Match& d) {
  a(d.source, d.tag);
}
template <class A>
void describe(A& a, Schedule& d) {
  a(d.kind, d.sides, d.first, d.unit_ms, d.pause_ms, d.patience_ms, d.seed, d.matches, d.steered);
}

// It is read by the same build that wrote it, a moment later: calls go by their number.
Result<bool> write_schedule(const std::string& directory, const Schedule& schedule) {
  return write_sealed(directory + kScheduleFile, kScheduleMagic, encoded(schedule));
}
Result<Schedule> read_schedule(const std::string& directory) { return read_sealed_value<Schedule>(directory + kScheduleFile, kScheduleMagic); }

std::string account_path(const std::string& directory, WorldRank rank) {
  char name[40];
  std::snprintf(name, sizeof name, "/rank-%06d.account", rank.value);
  return directory + name;
}

std::vector<Account> read_accounts(const std::string& directory, int ranks) {
  std::vector<Account> accounts;
  for (int rank = 0; rank < ranks; ++rank) {
    Account account{};
    const int file = open(account_path(directory, WorldRank(rank)).c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;
    if (pread(file, &account, sizeof account, 0) == sizeof account) accounts.push_back(account);
    close(file);
  }
  return accounts;
}

void* map_shared_file(const std::string& path, std::size_t bytes) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return nullptr;
  // Space in advance: a full disk must not end the program with SIGBUS.
  void* memory = posix_fallocate(file, 0, static_cast<off_t>(bytes)) == 0 ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  close(file);
  return memory != MAP_FAILED ? memory : nullptr;
}

}  // namespace photofinish
