#include "program.h"

#include <utility>

#include "simulator.h"

namespace photofinish::testing {
namespace {

using Weights = std::vector<std::pair<int, Do>>;

// Short enough that many programs have no races, and that the order of atomics can be
// reconstructed.
int most_steps(Focus focus) {
  switch (focus) {
    case Focus::Atomics:
      return 45;
    case Focus::Datatypes:
    case Focus::Buffers:
      return 55;
    default:
      return 90;
  }
}

Weights weights(Focus focus) {
  using enum Do;
  switch (focus) {
    case Focus::Locks:
      return {{12, OneSided},  {3, Load},  {3, Store},   {8, Lock}, {2, LockAll},
              {8, Unlock},     {6, Flush}, {1, WinSync}, {1, Send}, {1, Receive},
              {1, Collective}, {2, Wait},  {1, Test}};
    case Focus::Fences:
      return {{14, OneSided}, {4, Load},       {4, Store},   {9, Fence},     {1, Send},
              {1, Receive},   {1, Collective}, {1, WinLife}, {1, SwitchMode}};
    case Focus::Epochs:
      return {{14, OneSided},  {3, Load},          {3, Store},     {8, Post},
              {9, StartEpoch}, {8, CompleteEpoch}, {8, WaitEpoch}, {2, Send},
              {2, Receive},    {1, Collective},    {1, SwitchMode}};
    case Focus::Messages:
      return {{10, OneSided}, {6, Flush},    {2, Load},         {2, Store},
              {9, Send},      {6, Receive},  {4, PostReceive},  {2, Rendezvous},
              {1, Exchange},  {2, Probe},    {2, MatchedProbe}, {2, Prepare},
              {3, Start},     {1, Deliver},  {6, Wait},         {2, Test},
              {2, WaitAll},   {2, WaitSome}, {1, GetStatus},    {1, FreeRequest}};
    case Focus::SplitPhase:
      return {{10, OneSided}, {6, Flush},    {2, Load}, {2, Store},   {8, Collective},
              {8, Join},      {7, Wait},     {2, Test}, {2, WaitAll}, {2, WaitSome},
              {1, GetStatus}, {1, MakeComm}, {1, Send}, {1, Receive}};
    case Focus::Atomics:
      return {{2, OneSided}, {2, Flush},      {1, Load},      {6, Flag},
              {5, Ticket},   {6, SpinLock},   {5, QueueLock}, {2, AnyAtomic},
              {2, Progress}, {1, Collective}, {1, Send},      {1, Receive}};
    case Focus::Datatypes:
      return {{16, OneSided}, {3, Load},   {3, Store}, {5, Flush},   {4, Fence},
              {2, Lock},      {2, Unlock}, {1, Send},  {1, Receive}, {1, Collective}};
    case Focus::Buffers:
      return {{6, OneSided},  {2, Flush},       {5, Load},    {5, Store},   {6, Send},
              {3, Receive},   {6, PostReceive}, {3, Prepare}, {5, Start},   {4, Collective},
              {3, Join},      {8, Wait},        {3, Test},    {3, WaitAll}, {3, WaitSome},
              {2, GetStatus}, {2, FreeRequest}, {1, Deliver}};
    case Focus::Everything:
      break;
  }
  return {{10, OneSided},   {2, Load},          {2, Store},       {4, Fence},      {3, Post},
          {3, StartEpoch},  {3, CompleteEpoch}, {3, WaitEpoch},   {3, Lock},       {1, LockAll},
          {3, Unlock},      {3, Flush},         {1, WinSync},     {1, SwitchMode}, {1, WinLife},
          {3, Send},        {2, Receive},       {2, PostReceive}, {1, Rendezvous}, {1, Exchange},
          {1, Probe},       {1, MatchedProbe},  {1, Prepare},     {1, Start},      {1, Deliver},
          {2, Wait},        {1, Test},          {1, WaitAll},     {1, WaitSome},   {1, GetStatus},
          {1, FreeRequest}, {3, Collective},    {2, Join},        {1, MakeComm},   {1, Flag},
          {1, Ticket},      {1, SpinLock},      {1, QueueLock},   {1, AnyAtomic},  {1, Progress}};
}

// Random steps, with simpler ones for shrinking.
rc::Gen<Step> steps(Focus focus) {
  std::vector<Do> table;
  for (const auto& [weight, what] : weights(focus))
    table.insert(table.end(), static_cast<std::size_t>(weight), what);
  const auto simpler = [](const Step& step) {
    std::vector<Step> made;
    for (std::uint8_t Step::* const part : {&Step::rank, &Step::a, &Step::b, &Step::c, &Step::d})
      if (step.*part != 0) {
        made.push_back(step);
        made.back().*part = 0;
      }
    return rc::seq::fromContainer(made);
  };
  return [=](rc::Random random, int) {
    const std::uint64_t bits = random.next();
    const auto byte = [&](int which) { return static_cast<std::uint8_t>(bits >> (8 * which)); };
    return rc::shrinkable::shrinkRecur(
        Step{table[(bits >> 40) % table.size()], byte(0), byte(1), byte(2), byte(3), byte(4)},
        simpler);
  };
}

}  // namespace

const char* name_of(Focus focus) {
  static constexpr const char* kNames[] = {"everything", "locks",     "fences",
                                           "epochs",     "messages",  "split phase",
                                           "atomics",    "datatypes", "buffers"};
  return kNames[static_cast<std::size_t>(focus)];
}

rc::Gen<Program> programs(Focus focus) {
  return rc::gen::map(
      rc::gen::tuple(
          rc::gen::inRange(2, 6), rc::gen::inRange(1, 4),
          rc::gen::resize(100, rc::gen::arbitrary<std::uint32_t>()),
          rc::gen::resize(most_steps(focus), rc::gen::container<std::vector<Step>>(steps(focus)))),
      [=](const auto& parts) {
        return Program{focus, std::get<0>(parts), std::get<1>(parts), std::get<2>(parts),
                       std::get<3>(parts)};
      });
}

void showValue(const Program& program, std::ostream& out) {
  out << name_of(program.focus) << ", " << program.steps.size() << " steps\n"
      << text(simulate(program).execution);
}

}  // namespace photofinish::testing
