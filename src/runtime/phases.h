// The cost of the tests before accesses (runtime_abi.h), which cannot be measured one by one.
//
// A phase is what the program does between two calls. Phases behind one call site usually do the
// same work. So some of them run without tests, and the difference between the average processor
// times is the cost. Only long phases count: the tests of short ones are few.
#pragma once

#include <array>
#include <cstdint>

namespace photofinish {

class Phases {
 public:
  // `processor_ns`: CPU time of the task.
  Phases(double ns_per_tick, std::uint64_t (*processor_ns)())
      : ns_per_tick_(ns_per_tick), processor_ns_(processor_ns) {}

  // The phase behind this call site begins. Returns whether it should run without tests.
  // `without`: it does so anyway. `own_ns`: time of the tool so far.
  bool begin(std::uint64_t site, std::uint64_t now, double own_ns, bool without);
  // The marks change within the phase: it is not comparable.
  void spoil() { spoiled_ = true; }
  void end(std::uint64_t now, double own_ns);

  double tests_ns() const { return tests_ns_; }  // the cost of all phases so far
  // The processor time of phases whose tests were measured.
  double compared_ns() const { return compared_ns_; }

 private:
  static constexpr std::size_t kKinds = 64;
  static constexpr double kLongNs = 50'000;
  // Of one kind: at first, every other phase runs without tests; later, one of kSeldom.
  static constexpr std::uint64_t kOften = 8, kSeldom = 16;
  static constexpr std::uint64_t kFewest = 3;  // phases of each sort that make an average

  struct Times {
    std::uint64_t count = 0;
    double sum = 0;
    double mean() const { return sum / static_cast<double>(count); }
  };
  struct Kind {
    std::uint64_t site = 0;
    double ticks = 0;  // of the last phase
    std::uint64_t turns = 0;
    Times with, without;
    bool is_compared() const { return with.count >= kFewest && without.count >= kFewest; }
  };
  void sum_up();

  const double ns_per_tick_;
  std::uint64_t (*const processor_ns_)();
  std::array<Kind, kKinds> kinds_{};
  Kind* current_ = nullptr;
  bool timed_ = false, without_ = false, spoiled_ = false;
  std::uint64_t begun_ = 0, begun_ns_ = 0;  // a tick, processor time
  double own_ns_ = 0;
  std::uint32_t random_ = 1;
  double tests_ns_ = 0, compared_ns_ = 0;
};

}  // namespace photofinish
