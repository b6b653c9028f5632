// wait_until and test: a PE observes the update of another one.
#include "frontend/shmem/explored.h"
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

// One word: known before the call waits. `is_over` tests it; `value`: what the call returned of it,
// if it did.
void wait(CallSite call_site, Call family, const Words& words, const explored::Satisfies& satisfies,
          Part<> made, Part<bool&> is_over, void* value = nullptr) {
  Interception call(family, call_site);
  call.waiting_until(
      [&](Context& c) {
        add_word(c, words, 0);
        c.event.more_numbers = 1;
      },
      [&] { explored::wait(call, words.first, words.bytes, satisfies, made); }, is_over,
      [&] {
        call.exchange_observed(words.first, words.bytes);
        if (value != nullptr) call.exchange_memory(value, words.bytes);
      },
      [&](Context& c) {
        if (value == nullptr) return add_value(c, words, 0);
        c.event.numbers.push_back(static_cast<std::int64_t>(bits_of(value, words.bytes)));
      });
}

constexpr int kNotEqual = 1;  // SHMEM_CMP_NE

// The comparisons of Open MPI's shmem.h.
template <class T>
explored::Satisfies condition(int comparison, T value) {
  return [=](std::uint64_t bits) {
    T word;
    std::memcpy(&word, &bits, sizeof word);
    switch (comparison) {
      case 0:
        return word == value;
      case kNotEqual:
        return word != value;
      case 2:
        return word > value;
      case 3:
        return word <= value;
      case 4:
        return word < value;
      default:
        return word >= value;
    }
  };
}

using Indices = std::vector<std::size_t>;

// Words that satisfy the condition: their updates were observed.
void add_observed(Context& c, const Words& words, const Indices& observed) {
  for (const std::size_t index : observed) add_word(c, words, index);
  for (const std::size_t index : observed) add_value(c, words, index);
}
void exchange_observed(Interception& call, const Words& words, const Indices& observed) {
  for (const std::size_t index : observed)
    call.exchange_observed(static_cast<const char*>(words.first) + index * words.bytes,
                           words.bytes);
}

// A call that returns which words satisfy its condition. `observe` exchanges what it returned, and
// lists them.
void test(CallSite call_site, Call family, const Words& words, Part<> made,
          Part<Interception&, Indices&> observe) {
  Interception call(family, call_site);
  Indices observed;
  bool failed = false;
  call.attempting(
      made,
      [&] {
        observe(call, observed);
        failed = observed.empty();
        exchange_observed(call, words, observed);
      },
      failed, [&](Context& c) { add_observed(c, words, observed); });
}

// All words of [0, count) whose status is 0: they are not excluded.
Indices included(std::size_t count, const int* status) {
  Indices indices;
  for (std::size_t i = 0; i < count; ++i)
    if (status == nullptr || status[i] == 0) indices.push_back(i);
  return indices;
}

void test_all(CallSite call_site, Call family, const Words& words, std::size_t count,
              const int* status, int& satisfied, Part<> made) {
  test(call_site, family, words, made, [&](Interception& call, Indices& observed) {
    call.exchange(satisfied);
    if (satisfied != 0) observed = included(count, status);
  });
}

void test_any(CallSite call_site, Call family, const Words& words, std::size_t& index,
              Part<> made) {
  test(call_site, family, words, made, [&](Interception& call, Indices& observed) {
    call.exchange(index);
    if (index != SIZE_MAX) observed.push_back(index);
  });
}

void test_some(CallSite call_site, Call family, const Words& words, std::size_t* indices,
               std::size_t& found, Part<> made) {
  test(call_site, family, words, made, [&](Interception& call, Indices& observed) {
    call.exchange(found);
    call.exchange_memory(indices, found * sizeof *indices);
    observed.assign(indices, indices + found);
  });
}

}  // namespace

// `name`: of the function that tests the same condition.
#define WAIT(symbol, name, T, parameters, arguments, comparison, value)                            \
  SHMEM_ENTRY void symbol(volatile T* word parameters) {                                           \
    wait(                                                                                          \
        CALL_SITE, ShmemCall::shmem_wait_until,                                                    \
        {const_cast<const T*>(word), sizeof(T), element_type<T>}, condition<T>(comparison, value), \
        [&] { SHMEM_REAL(symbol)(word arguments); },                                               \
        [&](bool& over) {                                                                          \
          over = SHMEM_REAL(shmem_##name##_test)(word, comparison, value) != 0;                    \
        });                                                                                        \
  }
#define COMMA ,
#define SYNC_TYPE(name, T)                                                                    \
  SHMEM_ENTRY int shmem_##name##_test(volatile T* word, int comparison, T value) {            \
    int satisfied = 0;                                                                        \
    test_all(CALL_SITE, ShmemCall::shmem_test,                                                \
             {const_cast<const T*>(word), sizeof(T), element_type<T>}, 1, nullptr, satisfied, \
             [&] { satisfied = SHMEM_REAL(shmem_##name##_test)(word, comparison, value); });  \
    return satisfied;                                                                         \
  }                                                                                           \
  WAIT(shmem_##name##_wait_until, name, T, COMMA int comparison COMMA T value,                \
       COMMA comparison COMMA value, comparison, value)
#define OLD_SYNC_TYPE(name, T) \
  WAIT(shmem_##name##_wait, name, T, COMMA T value, COMMA value, kNotEqual, value)
#include "frontend/shmem/types.def"
WAIT(shmem_wait, long, long, COMMA long value, COMMA value, kNotEqual, value)
WAIT(shmem_wait_until, long, long, COMMA int comparison COMMA long value,
     COMMA comparison COMMA value, comparison, value)

// --- OpenSHMEM 1.5: several words, compared with one value or with one each

#define SEVERAL(name, T, suffix, value_type)                                                       \
  SHMEM_ENTRY void shmem_##name##_wait_until_all##suffix(                                          \
      T* words, std::size_t count, const int* status, int comparison, value_type value) {          \
    int satisfied = 1;                                                                             \
    test_all(CALL_SITE, ShmemCall::shmem_wait_until_all, {words, sizeof(T), element_type<T>},      \
             count, status, satisfied, [&] {                                                       \
               SHMEM_REAL(shmem_##name##_wait_until_all##suffix)                                   \
               (words, count, status, comparison, value);                                          \
             });                                                                                   \
  }                                                                                                \
  SHMEM_ENTRY std::size_t shmem_##name##_wait_until_any##suffix(                                   \
      T* words, std::size_t count, const int* status, int comparison, value_type value) {          \
    std::size_t index = 0;                                                                         \
    test_any(CALL_SITE, ShmemCall::shmem_wait_until_any, {words, sizeof(T), element_type<T>},      \
             index, [&] {                                                                          \
               index = SHMEM_REAL(shmem_##name##_wait_until_any##suffix)(words, count, status,     \
                                                                         comparison, value);       \
             });                                                                                   \
    return index;                                                                                  \
  }                                                                                                \
  SHMEM_ENTRY std::size_t shmem_##name##_wait_until_some##suffix(                                  \
      T* words, std::size_t count, std::size_t* indices, const int* status, int comparison,        \
      value_type value) {                                                                          \
    std::size_t found = 0;                                                                         \
    test_some(CALL_SITE, ShmemCall::shmem_wait_until_some, {words, sizeof(T), element_type<T>},    \
              indices, found, [&] {                                                                \
                found = SHMEM_REAL(shmem_##name##_wait_until_some##suffix)(                        \
                    words, count, indices, status, comparison, value);                             \
              });                                                                                  \
    return found;                                                                                  \
  }                                                                                                \
  SHMEM_ENTRY int shmem_##name##_test_all##suffix(T* words, std::size_t count, const int* status,  \
                                                  int comparison, value_type value) {              \
    int satisfied = 0;                                                                             \
    test_all(CALL_SITE, ShmemCall::shmem_test_all, {words, sizeof(T), element_type<T>}, count,     \
             status, satisfied, [&] {                                                              \
               satisfied = SHMEM_REAL(shmem_##name##_test_all##suffix)(words, count, status,       \
                                                                       comparison, value);         \
             });                                                                                   \
    return satisfied;                                                                              \
  }                                                                                                \
  SHMEM_ENTRY std::size_t shmem_##name##_test_any##suffix(                                         \
      T* words, std::size_t count, const int* status, int comparison, value_type value) {          \
    std::size_t index = 0;                                                                         \
    test_any(CALL_SITE, ShmemCall::shmem_test_any, {words, sizeof(T), element_type<T>}, index,     \
             [&] {                                                                                 \
               index = SHMEM_REAL(shmem_##name##_test_any##suffix)(words, count, status,           \
                                                                   comparison, value);             \
             });                                                                                   \
    return index;                                                                                  \
  }                                                                                                \
  SHMEM_ENTRY std::size_t shmem_##name##_test_some##suffix(                                        \
      T* words, std::size_t count, std::size_t* indices, const int* status, int comparison,        \
      value_type value) {                                                                          \
    std::size_t found = 0;                                                                         \
    test_some(CALL_SITE, ShmemCall::shmem_test_some, {words, sizeof(T), element_type<T>}, indices, \
              found, [&] {                                                                         \
                found = SHMEM_REAL(shmem_##name##_test_some##suffix)(words, count, indices,        \
                                                                     status, comparison, value);   \
              });                                                                                  \
    return found;                                                                                  \
  }
#define SYNC_TYPE(name, T) \
  SEVERAL(name, T, , T)    \
  SEVERAL(name, T, _vector, T*)
#include "frontend/shmem/types.def"

SHMEM_ENTRY std::uint64_t shmem_signal_wait_until(std::uint64_t* word, int comparison,
                                                  std::uint64_t value) {
  std::uint64_t seen = 0;
  wait(
      CALL_SITE, ShmemCall::shmem_signal_wait_until,
      {word, sizeof *word, element_type<std::uint64_t>},
      condition<std::uint64_t>(comparison, value),
      [&] { seen = SHMEM_REAL(shmem_signal_wait_until)(word, comparison, value); },
      [&](bool& over) { over = SHMEM_REAL(shmem_uint64_test)(word, comparison, value) != 0; },
      &seen);
  return seen;
}

#undef WAIT
#undef COMMA
#undef SEVERAL

}  // namespace photofinish::shmem
