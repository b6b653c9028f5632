#include "record/shared_payloads.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "trace/run_directory.h"

namespace photofinish {
namespace {

using Word = std::atomic<std::uint64_t>;
static_assert(Word::is_always_lock_free && sizeof(Word) == 8, "shared between processes");

// Sender and number in one word.
constexpr unsigned kNumberBits = 40;
std::uint64_t word_of(SharedPayload payload) {
  return static_cast<std::uint64_t>(payload.from.value) << kNumberBits | payload.number;
}
SharedPayload payload_of(std::uint64_t word) {
  return {.from = WorldRank(static_cast<std::int32_t>(word >> kNumberBits)),
          .number = word & ((std::uint64_t{1} << kNumberBits) - 1)};
}

}  // namespace

ContentHash content_hash(const void* data, std::size_t bytes) {
  const XXH128_hash_t hash = XXH3_128bits(data, bytes);
  return {hash.low64, hash.high64};
}

// Lock-free. New entries overwrite old ones if there are too many. A partially written entry
// matches no hash.
struct PayloadTable::Shared {
  static constexpr std::size_t kSets = 1 << 14, kWays = 4, kArrivals = 256, kMostRings = 1024;
  struct Entry {
    Word payload, low, high;  // low, high: the hash, combined with `payload`
  };
  struct Notice {
    Word win, displacement, bytes, low, high;
  };
  struct Ring {
    Word count;
    Notice notices[kArrivals];
  };
  Entry entries[kSets][kWays];
  Ring rings[];  // one per rank of the group, if there is room

  static std::uint64_t mixed(std::uint64_t payload) { return payload * 0x9e3779b97f4a7c15u; }
};

std::unique_ptr<PayloadTable> PayloadTable::create(std::string& name,
                                                   const std::vector<WorldRank>& group,
                                                   WorldRank self) {
  constexpr int kTries = 8;
  int file = -1;
  for (int i = 0; i < kTries && file < 0; ++i) {
    name = "/photofinish-" + new_token();
    file = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 && errno != EEXIST) break;
  }
  return map(file, group, self);
}

std::unique_ptr<PayloadTable> PayloadTable::open(const std::string& name,
                                                 const std::vector<WorldRank>& group,
                                                 WorldRank self) {
  const int file = shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0);
  struct stat status;
  if (file >= 0 && (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) ||
                    status.st_uid != geteuid() || (status.st_mode & 077) != 0)) {
    close(file);
    return nullptr;
  }
  return map(file, group, self);
}

std::unique_ptr<PayloadTable> PayloadTable::map(int file, const std::vector<WorldRank>& group,
                                                WorldRank self) {
  if (file < 0) return nullptr;
  const std::size_t bytes =
      sizeof(Shared) + std::min(group.size(), Shared::kMostRings) * sizeof(Shared::Ring);
  // Allocated in advance: without space, a later store would end the program.
  void* memory = posix_fallocate(file, 0, static_cast<off_t>(bytes)) == 0
                     ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                     : MAP_FAILED;
  close(file);
  if (memory == MAP_FAILED) return nullptr;
  std::unique_ptr<PayloadTable> table(new PayloadTable);
  table->shared_ = static_cast<Shared*>(memory);
  table->bytes_ = bytes;
  table->group_ = group;
  table->self_ = self;
  return table;
}

void PayloadTable::remove_name(const std::string& name) { shm_unlink(name.c_str()); }

PayloadTable::~PayloadTable() { munmap(shared_, bytes_); }

void PayloadTable::publish(const ContentHash& hash, std::uint64_t number) {
  const std::uint64_t word = word_of({.from = self_, .number = number});
  Shared::Entry& entry = shared_->entries[hash[0] % Shared::kSets][number % Shared::kWays];
  entry.payload.store(0, std::memory_order_relaxed);
  entry.low.store(hash[0] ^ word, std::memory_order_relaxed);
  entry.high.store(hash[1] ^ Shared::mixed(word), std::memory_order_relaxed);
  entry.payload.store(word, std::memory_order_release);
}

std::optional<SharedPayload> PayloadTable::take(const ContentHash& hash) {
  for (const Shared::Entry& entry : shared_->entries[hash[0] % Shared::kSets]) {
    const std::uint64_t word = entry.payload.load(std::memory_order_acquire);
    if (word == 0 || (entry.low.load(std::memory_order_relaxed) ^ word) != hash[0] ||
        (entry.high.load(std::memory_order_relaxed) ^ Shared::mixed(word)) != hash[1])
      continue;
    SharedPayload payload = payload_of(word);
    payload.check = check_of(hash);
    if (taken_ == nullptr) return std::nullopt;
    std::uint8_t note[3 * kMaxVarint];
    Encoder out(note);
    Write{out}(payload);
    taken_->append(note, static_cast<std::size_t>(out.next() - note));
    return payload;
  }
  return std::nullopt;
}

void PayloadTable::announce(WorldRank target, const Arrival& arrival) {
  const auto at = static_cast<std::size_t>(std::lower_bound(group_.begin(), group_.end(), target) -
                                           group_.begin());
  if (at >= std::min(group_.size(), Shared::kMostRings)) return;
  Shared::Ring& ring = shared_->rings[at];
  // A reader may see parts of two notices. It compares their hash with the memory that they name,
  // so a wrong combination does no harm.
  Shared::Notice& notice =
      ring.notices[ring.count.fetch_add(1, std::memory_order_acq_rel) % Shared::kArrivals];
  notice.win.store(arrival.win.value, std::memory_order_relaxed);
  notice.displacement.store(arrival.displacement, std::memory_order_relaxed);
  notice.bytes.store(arrival.bytes, std::memory_order_relaxed);
  notice.low.store(arrival.hash[0], std::memory_order_relaxed);
  notice.high.store(arrival.hash[1], std::memory_order_release);
}

void PayloadTable::new_arrivals(std::vector<Arrival>& arrivals) {
  const auto at = static_cast<std::size_t>(std::lower_bound(group_.begin(), group_.end(), self_) -
                                           group_.begin());
  if (at >= std::min(group_.size(), Shared::kMostRings)) return;
  Shared::Ring& ring = shared_->rings[at];
  const std::uint64_t count = ring.count.load(std::memory_order_acquire);
  if (count - arrivals_seen_ > Shared::kArrivals) arrivals_seen_ = count - Shared::kArrivals;
  for (; arrivals_seen_ < count; ++arrivals_seen_) {
    const Shared::Notice& notice = ring.notices[arrivals_seen_ % Shared::kArrivals];
    const std::uint64_t high = notice.high.load(std::memory_order_acquire);
    arrivals.push_back({Uid(notice.win.load(std::memory_order_relaxed)),
                        notice.displacement.load(std::memory_order_relaxed),
                        notice.bytes.load(std::memory_order_relaxed),
                        {notice.low.load(std::memory_order_relaxed), high}});
  }
}

std::map<WorldRank, std::vector<std::uint64_t>> read_taken(RankTrace& trace) {
  std::map<WorldRank, std::vector<std::uint64_t>> taken;
  for (std::vector<std::uint8_t> notes; trace.next_of_journal(kTakenJournal, notes);)
    for (Decoder in(notes.data(), notes.data() + notes.size()); !in.at_end();) {
      SharedPayload payload;
      Read{in}(payload);
      if (in.ok()) taken[payload.from].push_back(payload.number);
    }
  return taken;
}

// --- replayed ranks: all of them map one file with a slot for each needed payload. Each sender has
// a second file with the contents.

struct PayloadFiles::Sender {
  std::uint64_t rank, first, count;  // first slot, number of slots
  Word ended;
};

namespace {
constexpr std::uint64_t kLost = ~std::uint64_t{0};
}

struct PayloadFiles::Slot {
  std::uint64_t number;
  Word location;  // offset in the contents file + 1; 0: not there yet; kLost: could not be written
  std::uint64_t bytes;
};

Result<bool> PayloadFiles::make(const std::string& path,
                                const std::map<WorldRank, std::vector<std::uint64_t>>& all) {
  // Sorted, without duplicates: the order in which the sender publishes them.
  std::map<WorldRank, std::vector<std::uint64_t>> wanted = all;
  for (auto& [rank, numbers] : wanted) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  }
  std::vector<std::uint64_t> words{wanted.size()};
  std::uint64_t first = 0;
  for (const auto& [rank, numbers] : wanted) {
    words.insert(words.end(), {static_cast<std::uint64_t>(rank.value), first, numbers.size(), 0});
    first += numbers.size();
  }
  for (const auto& [rank, numbers] : wanted)
    for (const std::uint64_t number : numbers) words.insert(words.end(), {number, 0, 0});
  unlink(path.c_str());  // not truncated: other processes may still map an earlier file
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const std::size_t bytes = words.size() * sizeof words[0];
  const bool written = file >= 0 && write(file, words.data(), bytes) == static_cast<ssize_t>(bytes);
  const std::string problem = written ? "" : std::strerror(errno);
  if (file >= 0) close(file);
  if (!written) return Error{"cannot write " + path + ": " + problem};
  for (const auto& [rank, numbers] : wanted)
    unlink((path + "-" + std::to_string(rank.value)).c_str());
  return true;
}

Result<std::unique_ptr<PayloadFiles>> PayloadFiles::open(const std::string& path, WorldRank self) {
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  struct stat info{};
  void* memory = file >= 0 && fstat(file, &info) == 0
                     ? mmap(nullptr, static_cast<std::size_t>(info.st_size), PROT_READ | PROT_WRITE,
                            MAP_SHARED, file, 0)
                     : MAP_FAILED;
  const std::string problem = memory == MAP_FAILED ? std::strerror(errno) : "";
  if (file >= 0) close(file);
  if (memory == MAP_FAILED) return Error{"cannot read " + path + ": " + problem};
  std::unique_ptr<PayloadFiles> files(new PayloadFiles);
  files->path_ = path;
  files->self_ = self;
  files->shared_ = static_cast<char*>(memory);
  files->bytes_ = static_cast<std::size_t>(info.st_size);
  return files;
}

PayloadFiles::~PayloadFiles() { munmap(shared_, bytes_); }

PayloadFiles::Sender* PayloadFiles::sender(WorldRank rank) const {
  auto* const senders = reinterpret_cast<Sender*>(shared_ + sizeof(std::uint64_t));
  Sender* const end = senders + *reinterpret_cast<const std::uint64_t*>(shared_);
  Sender* const found =
      std::lower_bound(senders, end, rank, [](const Sender& one, WorldRank wanted) {
        return one.rank < static_cast<std::uint64_t>(wanted.value);
      });
  return found != end && found->rank == static_cast<std::uint64_t>(rank.value) ? found : nullptr;
}

PayloadFiles::Slot* PayloadFiles::slots_of(const Sender& sender) const {
  const std::uint64_t senders = *reinterpret_cast<const std::uint64_t*>(shared_);
  return reinterpret_cast<Slot*>(shared_ + sizeof(std::uint64_t) + senders * sizeof(Sender)) +
         sender.first;
}

void PayloadFiles::payload(const void* data, std::size_t bytes) {
  ++payloads_;
  const Sender* const self = sender(self_);
  if (self == nullptr || next_wanted_ == self->count) return;
  Slot& slot = slots_of(*self)[next_wanted_];
  if (slot.number != payloads_) return;
  ++next_wanted_;
  if (slot.location.load(std::memory_order_relaxed) != 0) return;  // a debugger restarted the rank
  // Closed at once, so that the program's own files have the recorded descriptors.
  const int file =
      ::open(contents_of(self_).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const off_t location = lseek(file, 0, SEEK_END);
  std::size_t done = 0;
  for (ssize_t more = 1; more > 0 && done < bytes;
       done += static_cast<std::size_t>(std::max<ssize_t>(more, 0)))
    more = write(file, static_cast<const char*>(data) + done, bytes - done);
  close(file);
  slot.bytes = bytes;
  slot.location.store(done == bytes ? static_cast<std::uint64_t>(location) + 1 : kLost,
                      std::memory_order_release);
}

bool PayloadFiles::take(SharedPayload payload, void* data, std::size_t bytes) {
  const Sender* const from = sender(payload.from);
  if (from == nullptr) return false;
  Slot* const slots = slots_of(*from);
  Slot* const slot =
      std::lower_bound(slots, slots + from->count, payload.number,
                       [](const Slot& one, std::uint64_t number) { return one.number < number; });
  if (slot == slots + from->count || slot->number != payload.number) return false;
  std::uint64_t location = 0;
  for (long pause = 10'000; (location = slot->location.load(std::memory_order_acquire)) == 0;
       pause = std::min(2 * pause, 1'000'000l)) {
    if (from->ended.load(std::memory_order_acquire) != 0 &&
        slot->location.load(std::memory_order_acquire) == 0)
      return false;
    const timespec time{.tv_sec = 0, .tv_nsec = pause};
    nanosleep(&time, nullptr);
  }
  if (location == kLost || slot->bytes != bytes) return false;
  const int file = ::open(contents_of(payload.from).c_str(), O_RDONLY | O_CLOEXEC);
  std::size_t done = 0;
  for (ssize_t more = 1; more > 0 && done < bytes;
       done += static_cast<std::size_t>(std::max<ssize_t>(more, 0)))
    more = pread(file, static_cast<char*>(data) + done, bytes - done,
                 static_cast<off_t>(location - 1 + done));
  close(file);
  return done == bytes;
}

bool PayloadFiles::is_complete() const {
  const std::uint64_t senders = *reinterpret_cast<const std::uint64_t*>(shared_);
  const auto* const slots =
      reinterpret_cast<const Slot*>(shared_ + sizeof(std::uint64_t) + senders * sizeof(Sender));
  const auto* const end = reinterpret_cast<const Slot*>(shared_ + bytes_);
  return std::all_of(slots, end, [](const Slot& slot) {
    return slot.location.load(std::memory_order_acquire) != 0;
  });
}

void PayloadFiles::has_ended(WorldRank rank) {
  if (Sender* const ended = sender(rank)) ended->ended.store(1, std::memory_order_release);
}

}  // namespace photofinish
