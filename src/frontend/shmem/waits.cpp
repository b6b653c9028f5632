// wait_until and test: a PE observes the update of another one.
#include "frontend/shmem/interception.h"

namespace photofinish::shmem {
namespace {

// Words of this PE's own symmetric memory.
struct Words {
  const void* first;
  std::size_t bytes;  // of one
  TypeId (*type)();
};

void add_word(Context& c, const Words& words, std::size_t index) {
  const void* const word = static_cast<const char*>(words.first) + index * words.bytes;
  if (const SymmetricMemory::Place place = SymmetricMemory::get().find(word);
      place.region != WinId(0))
    c.event.fields.set(Field::win, place.region);
  add_buffer(c, BufferUse::Read, word, 1, words.type());
}

void add_value(Context& c, const Words& words, std::size_t index) {
  const void* const word = static_cast<const char*>(words.first) + index * words.bytes;
  c.event.numbers.push_back(static_cast<std::int64_t>(bits_of(word, words.bytes)));
}

// One word: known before the call waits.
void enter_wait(Interception& call, const Words& words) {
  call.enter([&](Context& c) {
    add_word(c, words, 0);
    c.event.more_numbers = 1;
  });
}
void leave_wait(Interception& call, const Words& words) {
  call.leave([&](Context& c) { add_value(c, words, 0); });
}

// All words of [0, count) whose status is 0 (they are not excluded).
void record_all(Interception& call, const Words& words, std::size_t count, const int* status,
                bool satisfied) {
  call.append_attempt(!satisfied, [&](Context& c) {
    if (!satisfied) return;
    for (std::size_t i = 0; i < count; ++i)
      if (status == nullptr || status[i] == 0) add_word(c, words, i);
    for (std::size_t i = 0; i < count; ++i)
      if (status == nullptr || status[i] == 0) add_value(c, words, i);
  });
}

// The words with these indices.
void record_some(Interception& call, const Words& words, const std::size_t* indices,
                 std::size_t count) {
  call.append_attempt(count == 0, [&](Context& c) {
    for (std::size_t i = 0; i < count; ++i) add_word(c, words, indices[i]);
    for (std::size_t i = 0; i < count; ++i) add_value(c, words, indices[i]);
  });
}

void record_any(Interception& call, const Words& words, std::size_t index) {
  record_some(call, words, &index, index == SIZE_MAX ? 0 : 1);
}

}  // namespace

#define WAIT(symbol, T, parameters, arguments)                                 \
  SHMEM_ENTRY void symbol(volatile T* word parameters) {                       \
    Interception call(ShmemCall::shmem_wait_until, CALL_SITE);                 \
    const Words words{const_cast<const T*>(word), sizeof(T), element_type<T>}; \
    enter_wait(call, words);                                                   \
    SHMEM_REAL(symbol)(word arguments);                                        \
    leave_wait(call, words);                                                   \
  }
#define COMMA ,
#define SYNC_TYPE(name, T)                                                                 \
  WAIT(shmem_##name##_wait_until, T, COMMA int comparison COMMA T value,                   \
       COMMA comparison COMMA value)                                                       \
  SHMEM_ENTRY int shmem_##name##_test(volatile T* word, int comparison, T value) {         \
    Interception call(ShmemCall::shmem_test, CALL_SITE);                                   \
    const int satisfied = SHMEM_REAL(shmem_##name##_test)(word, comparison, value);        \
    record_all(call, {const_cast<const T*>(word), sizeof(T), element_type<T>}, 1, nullptr, \
               satisfied != 0);                                                            \
    return satisfied;                                                                      \
  }
#define OLD_SYNC_TYPE(name, T) WAIT(shmem_##name##_wait, T, COMMA T value, COMMA value)
#include "frontend/shmem/types.def"
WAIT(shmem_wait, long, COMMA long value, COMMA value)
WAIT(shmem_wait_until, long, COMMA int comparison COMMA long value, COMMA comparison COMMA value)

// --- OpenSHMEM 1.5: several words, compared with one value or with one each

#define SEVERAL(name, T, suffix, value_type)                                                      \
  SHMEM_ENTRY void shmem_##name##_wait_until_all##suffix(                                         \
      T* words, std::size_t count, const int* status, int comparison, value_type value) {         \
    Interception call(ShmemCall::shmem_wait_until_all, CALL_SITE);                                \
    SHMEM_REAL(shmem_##name##_wait_until_all##suffix)(words, count, status, comparison, value);   \
    record_all(call, {words, sizeof(T), element_type<T>}, count, status, true);                   \
  }                                                                                               \
  SHMEM_ENTRY std::size_t shmem_##name##_wait_until_any##suffix(                                  \
      T* words, std::size_t count, const int* status, int comparison, value_type value) {         \
    Interception call(ShmemCall::shmem_wait_until_any, CALL_SITE);                                \
    const std::size_t index = SHMEM_REAL(shmem_##name##_wait_until_any##suffix)(                  \
        words, count, status, comparison, value);                                                 \
    record_any(call, {words, sizeof(T), element_type<T>}, index);                                 \
    return index;                                                                                 \
  }                                                                                               \
  SHMEM_ENTRY std::size_t shmem_##name##_wait_until_some##suffix(                                 \
      T* words, std::size_t count, std::size_t* indices, const int* status, int comparison,       \
      value_type value) {                                                                         \
    Interception call(ShmemCall::shmem_wait_until_some, CALL_SITE);                               \
    const std::size_t found = SHMEM_REAL(shmem_##name##_wait_until_some##suffix)(                 \
        words, count, indices, status, comparison, value);                                        \
    record_some(call, {words, sizeof(T), element_type<T>}, indices, found);                       \
    return found;                                                                                 \
  }                                                                                               \
  SHMEM_ENTRY int shmem_##name##_test_all##suffix(T* words, std::size_t count, const int* status, \
                                                  int comparison, value_type value) {             \
    Interception call(ShmemCall::shmem_test_all, CALL_SITE);                                      \
    const int satisfied =                                                                         \
        SHMEM_REAL(shmem_##name##_test_all##suffix)(words, count, status, comparison, value);     \
    record_all(call, {words, sizeof(T), element_type<T>}, count, status, satisfied != 0);         \
    return satisfied;                                                                             \
  }                                                                                               \
  SHMEM_ENTRY std::size_t shmem_##name##_test_any##suffix(                                        \
      T* words, std::size_t count, const int* status, int comparison, value_type value) {         \
    Interception call(ShmemCall::shmem_test_any, CALL_SITE);                                      \
    const std::size_t index =                                                                     \
        SHMEM_REAL(shmem_##name##_test_any##suffix)(words, count, status, comparison, value);     \
    record_any(call, {words, sizeof(T), element_type<T>}, index);                                 \
    return index;                                                                                 \
  }                                                                                               \
  SHMEM_ENTRY std::size_t shmem_##name##_test_some##suffix(                                       \
      T* words, std::size_t count, std::size_t* indices, const int* status, int comparison,       \
      value_type value) {                                                                         \
    Interception call(ShmemCall::shmem_test_some, CALL_SITE);                                     \
    const std::size_t found = SHMEM_REAL(shmem_##name##_test_some##suffix)(                       \
        words, count, indices, status, comparison, value);                                        \
    record_some(call, {words, sizeof(T), element_type<T>}, indices, found);                       \
    return found;                                                                                 \
  }
#define SYNC_TYPE(name, T) \
  SEVERAL(name, T, , T)    \
  SEVERAL(name, T, _vector, T*)
#include "frontend/shmem/types.def"

SHMEM_ENTRY std::uint64_t shmem_signal_wait_until(std::uint64_t* word, int comparison,
                                                  std::uint64_t value) {
  Interception call(ShmemCall::shmem_signal_wait_until, CALL_SITE);
  const Words words{word, sizeof *word, element_type<std::uint64_t>};
  enter_wait(call, words);
  const std::uint64_t seen = SHMEM_REAL(shmem_signal_wait_until)(word, comparison, value);
  call.leave([&](Context& c) { c.event.numbers.push_back(static_cast<std::int64_t>(seen)); });
  return seen;
}

#undef WAIT
#undef COMMA
#undef SEVERAL

}  // namespace photofinish::shmem
