#include "confirm/schedule.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/private_file.h"
#include "trace/sealed_file.h"

namespace photofinish {
namespace {

constexpr char kScheduleMagic[8] = {'P', 'H', 'O', 'T', 'O', 'S', 'C', 'H'};

}  // namespace

template <class A>
void describe(A& a, ScheduledSide& d) {
  a(d.kind, d.call, d.places, d.lines, d.rank, d.arrival);
}
template <class A>
void describe(A& a, Schedule::Match& d) {
  a(d.source, d.tag);
}
template <class A>
void describe(A& a, Schedule& d) {
  a(d.kind, d.sides, d.first, d.unit_ms, d.pause_ms, d.patience_ms, d.seed, d.win, d.offset,
    d.bytes, d.matches, d.steered);
}

template <class A>
void describe(A& a, Schedules& d) {
  a(d.findings, d.by_letters);
}

// It is read by the same build that wrote it, a moment later: calls go by their number.
Result<bool> write_schedules(const std::string& directory, const Schedules& schedules) {
  return write_sealed(directory + kScheduleFile, kScheduleMagic, encoded(schedules));
}
Result<Schedules> read_schedules(const std::string& directory) {
  auto schedules = read_sealed_value<Schedules>(directory + kScheduleFile, kScheduleMagic);
  if (schedules && schedules->findings.empty())
    return Error{directory + kScheduleFile + ": nothing to make happen"};
  return schedules;
}

std::size_t finding_of(const Schedules& schedules, WorldRank rank) {
  for (std::size_t finding = 0; finding < schedules.findings.size(); ++finding)
    for (const ScheduledSide& side : schedules.findings[finding].sides)
      if (side.rank == rank) return finding;
  return 0;
}

Verdict verdict_of(const std::vector<Account>& accounts, std::size_t finding) {
  Verdict verdict;
  const auto agrees = [&](const Account& one, std::int32_t rank) {
    return std::any_of(accounts.begin(), accounts.end(), [&](const Account& other) {
      return other.rank == rank && other.met != 0 &&
             std::equal(one.ranks, one.ranks + 2, other.ranks) &&
             std::equal(one.arrivals, one.arrivals + 2, other.arrivals);
    });
  };
  for (const Account& account : accounts) {
    if (account.finding != finding) continue;
    for (const int side : {0, 1}) verdict.reached[side] += account.reached[side];
    if (account.met == 0) continue;
    if (account.by_letters != 0 &&
        !(agrees(account, account.ranks[0]) && agrees(account, account.ranks[1])))
      continue;
    verdict.forced = account.forced != 0 && (!verdict.seen || verdict.forced);
    verdict.seen = true;
    verdict.ranks = {WorldRank(account.ranks[0]), WorldRank(account.ranks[1])};
    verdict.arrivals = {account.arrivals[0], account.arrivals[1]};
  }
  return verdict;
}

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
  const int file = open_private(path, O_RDWR | O_NOFOLLOW);
  if (file < 0) return nullptr;
  // Space in advance: a full disk must not end the program with SIGBUS.
  void* memory = posix_fallocate(file, 0, static_cast<off_t>(bytes)) == 0
                     ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                     : MAP_FAILED;
  close(file);
  return memory != MAP_FAILED ? memory : nullptr;
}

}  // namespace photofinish
