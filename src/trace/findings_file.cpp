#include "trace/findings_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <iterator>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/private_file.h"
#include "trace/codec.h"
#include "trace/file_write.h"
#include "trace/run_directory.h"
#include "trace/sealed_file.h"

namespace photofinish {
namespace {

// Limits allocations for a damaged size. No run has that many distinct findings.
constexpr std::uint64_t kMaxFindings = std::uint64_t{1} << 30;

template <class A>
constexpr bool kReads = std::is_same_v<A, Read>;

// An enumeration value, checked against the last one.
template <class A, class T>
void value(A& a, T& it, T last) {
  a(it);
  if constexpr (kReads<A>)
    if (it > last) a.in.fail("a value that no finding has");
}

template <class A>
void call(A& a, Call& it) {
  std::string name;
  if constexpr (!kReads<A>) name = traits(it).name;
  a(name);
  if constexpr (kReads<A>) {
    const auto known = call_by_name(name);
    if (!known) a.in.fail("a call that this photofinish does not know");
    it = known.value_or(Call{});
  }
}

template <class A>
void ranks(A& a, std::set<WorldRank>& set) {
  std::vector<WorldRank> list(set.begin(), set.end());
  a(list);
  if constexpr (kReads<A>) {
    if (std::adjacent_find(list.begin(), list.end(), std::greater_equal()) != list.end())
      a.in.fail("ranks that do not ascend");
    set = {list.begin(), list.end()};
  }
}

}  // namespace

template <class A>
void describe(A& a, AccessLock& d) {
  a(d.win, d.target, d.exclusive);
}

template <class A>
void describe(A& a, FindingSide& d) {
  a(d.rank);
  value(a, d.kind, AccessKind::Accumulate);
  call(a, d.call);
  a(d.site, d.site_key, d.opened, d.closed, d.begin, d.end, d.task, d.bytes, d.range);
  value(a, d.op, ReduceOp::CompareAndSwap);
  value(a, d.epoch.kind, EpochKind::Lock);
  a(d.epoch.index, d.win, d.offset, d.locks);
}

template <class A>
void describe(A& a, Finding& d) {
  value(a, d.reason, Reason::MixedOperations);
  a(d.sides[0], d.sides[1], d.owner, d.where, d.win, d.offset, d.times);
  ranks(a, d.ranks);
  ranks(a, d.owners);
}

template <class A>
void describe(A& a, Wanted& d) {
  a(d.source, d.tag);
}

template <class A>
void describe(A& a, MessageEnd& d) {
  a(d.rank, d.timestamp, d.site, d.site_key, d.tag);
}

template <class A>
void describe(A& a, MessageFinding::Other& d) {
  a(d.send, d.unmatched, d.times, d.receive, d.got);
}

template <class A>
void describe(A& a, MessageFinding& d) {
  value(a, d.taker, Taker::Cancelled);
  a(d.comm, d.wanted, d.receive, d.got, d.others, d.times);
  ranks(a, d.ranks);
}

template <class A>
void describe(A& a, Deadlock::Waits& d) {
  a(d.rank, d.site, d.posted, d.on, d.site_key, d.for_lock, d.finalize);
  value(a, d.what, Deadlock::Waits::For::Probe);
  a(d.peer, d.tag, d.comm);
}

template <class A>
void describe(A& a, Deadlock& d) {
  a(d.waits, d.came_about, d.cycle, d.other_match, d.times, d.phase);
  ranks(a, d.behind);
}

template <class A>
void describe(A& a, TimingDependence& d) {
  a(d.at, d.times);
  ranks(a, d.ranks);
}

template <class A>
void describe(A& a, MessageFindings& d) {
  a(d.races, d.deadlocks, d.timing, d.answers, d.messages, d.checked, d.followed, d.threads,
    d.unsure, d.unsure_after, d.races_given_up, d.buffers_given_up);
}

namespace {

std::uint64_t checksum_of(const FindingsHeader& header, const std::uint8_t* payload,
                          std::size_t size) {
  return XXH3_64bits_withSeed(payload, size,
                              XXH3_64bits(&header, offsetof(FindingsHeader, checksum)));
}

Error file_error(const std::string& what, const std::string& path, int error) {
  return {what + " " + path + ": " + std::strerror(error)};
}

class File {
 public:
  explicit File(int number) : number_(number) {}
  ~File() {
    if (number_ >= 0) close(number_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int number() const { return number_; }
  // Shows errors of delayed writes.
  bool closed() { return close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

Result<std::vector<std::uint8_t>> whole_file(const std::string& path) {
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status;
  if (file.number() < 0 || fstat(file.number(), &status) != 0)
    return file_error("cannot read", path, errno);
  if (static_cast<std::uint64_t>(status.st_size) > kMaxFindings + sizeof(FindingsHeader))
    return Error{path + ": larger than any file of findings"};
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(status.st_size));
  for (std::size_t got = 0; got < bytes.size();) {
    const ssize_t more = read(file.number(), bytes.data() + got, bytes.size() - got);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return file_error("cannot read", path, errno);
    if (more == 0) bytes.resize(got);
    got += static_cast<std::size_t>(more);
  }
  return bytes;
}

}  // namespace

std::string findings_path(const std::string& directory, WorldRank rank) {
  char name[32];
  std::snprintf(name, sizeof name, "/rank-%06d", rank.value);
  return directory + name + std::string(kFindingsEnding);
}

std::string analysis_path(const std::string& directory) {
  return directory + "/" + std::string(kAnalysisFile);
}

std::string messages_path(const std::string& directory) {
  return directory + "/" + std::string(kMessagesFile);
}

Result<bool> write_sealed(const std::string& path, const char (&magic)[8],
                          const std::vector<std::uint8_t>& payload) {
  FindingsHeader header{.version = kFindingsVersion, .size = payload.size()};
  std::memcpy(header.magic, magic, sizeof header.magic);
  header.checksum = checksum_of(header, payload.data(), payload.size());

  const std::string unfinished = path + std::string(kUnfinished);
  // Not truncated first: space may be reserved.
  File file(open_private(unfinished, O_WRONLY));
  if (file.number() < 0) return file_error("cannot create", unfinished, errno);
  if (!write_all(file.number(), &header, sizeof header, 0) ||
      !write_all(file.number(), payload.data(), payload.size(), sizeof header) ||
      ftruncate(file.number(), static_cast<off_t>(sizeof header + payload.size())) != 0 ||
      !file.closed() || rename(unfinished.c_str(), path.c_str()) != 0) {
    const int error = errno;
    unlink(unfinished.c_str());
    return file_error("cannot write", path, error);
  }
  return true;
}

void reserve_findings(const std::string& path) {
  constexpr off_t kRoom = 16 * 1024;
  NoSizeSignal no_signal;
  File file(create_private(path + std::string(kUnfinished), O_WRONLY));
  if (file.number() >= 0) (void)!posix_fallocate(file.number(), 0, kRoom);
}

void release_findings(const std::string& path) {
  unlink((path + std::string(kUnfinished)).c_str());
}

Result<std::vector<std::uint8_t>> read_sealed(const std::string& path, const char (&magic)[8]) {
  const auto bytes = whole_file(path);
  if (!bytes) return bytes.error();
  FindingsHeader header;
  if (bytes->size() < sizeof header) return Error{path + ": too short for a file of findings"};
  std::memcpy(&header, bytes->data(), sizeof header);
  if (std::memcmp(header.magic, magic, sizeof header.magic) != 0)
    return Error{path + ": not a file of findings"};
  if (header.version > kFindingsVersion)
    return Error{path + ": findings version " + std::to_string(header.version) +
                 " is newer than this photofinish (" + std::to_string(kFindingsVersion) +
                 "); read it with the photofinish that wrote it"};
  if (header.version < kFindingsVersion)
    return Error{path + ": findings version " + std::to_string(header.version) +
                 " is older than this photofinish (" + std::to_string(kFindingsVersion) +
                 "); check the program again, or read it with the photofinish that wrote it"};
  const std::uint8_t* payload = bytes->data() + sizeof header;
  const std::size_t size = bytes->size() - sizeof header;
  if (header.size != size)
    return Error{path + ": " + std::to_string(size) + " bytes of findings, and the header says " +
                 std::to_string(header.size)};
  if (header.checksum != checksum_of(header, payload, size))
    return Error{path + ": damaged, its checksum does not match"};
  return std::vector<std::uint8_t>(payload, payload + size);
}

std::vector<std::uint8_t> encode_findings(const std::vector<Finding>& findings) {
  return encoded(findings);
}
Result<std::vector<Finding>> decode_findings(const std::vector<std::uint8_t>& bytes) {
  return decoded<std::vector<Finding>>(bytes.data(), bytes.size());
}
std::vector<std::uint8_t> encode_messages(const MessageFindings& findings) {
  return encoded(findings);
}
Result<MessageFindings> decode_messages(const std::vector<std::uint8_t>& bytes) {
  return decoded<MessageFindings>(bytes.data(), bytes.size());
}

Result<bool> write_findings(const std::string& path, const std::vector<Finding>& findings) {
  return write_sealed(path, kFindingsMagic, encoded(findings));
}
Result<std::vector<Finding>> read_findings_file(const std::string& path) {
  return read_sealed_value<std::vector<Finding>>(path, kFindingsMagic);
}
Result<bool> write_messages(const std::string& path, const MessageFindings& findings) {
  return write_sealed(path, kMessagesMagic, encoded(findings));
}
Result<MessageFindings> read_messages_file(const std::string& path) {
  return read_sealed_value<MessageFindings>(path, kMessagesMagic);
}

Result<RunFindings> read_findings(const std::string& directory,
                                  const UnwrittenFindings& unwritten) {
  const auto recorded = recorded_ranks(directory);
  if (!recorded) return recorded.error();
  const std::vector<WorldRank> reported = ranks_with_findings(directory);
  std::vector<Finding> by_ranks;
  for (const WorldRank rank : reported) {
    auto read = read_findings_file(findings_path(directory, rank));
    if (!read) return read.error();
    by_ranks.insert(by_ranks.end(), std::make_move_iterator(read->begin()),
                    std::make_move_iterator(read->end()));
  }
  RunFindings run{.analysed = !reported.empty(), .findings = merge_findings(std::move(by_ranks))};
  if (unwritten.findings || access(analysis_path(directory).c_str(), F_OK) == 0) {
    auto later = unwritten.findings ? Result<std::vector<Finding>>(*unwritten.findings)
                                    : read_findings_file(analysis_path(directory));
    if (!later) return later.error();
    run.analysed = run.from_traces = true;
    run.findings = unite_findings(std::move(run.findings), merge_findings(std::move(*later)));
  } else if (run.analysed) {
    std::set_difference(recorded->begin(), recorded->end(), reported.begin(), reported.end(),
                        std::back_inserter(run.missing));
  }
  if (unwritten.messages) {
    run.messages = unwritten.messages;
  } else if (access(messages_path(directory).c_str(), F_OK) == 0) {
    auto messages = read_messages_file(messages_path(directory));
    if (!messages) return messages.error();
    run.messages = std::move(*messages);
  }
  return run;
}

}  // namespace photofinish
