// Sets of PEs that synchronize: all of them, active sets, teams.
#pragma once

#include "model/ids.h"

namespace photofinish::shmem {

// Known once recording has started.
int pe_count();
int own_pe();

CommId all_pes();
CommId active_set(int first, int log_stride, int count);

// Of OpenSHMEM 1.5. Zero: no team.
using Team = void*;
CommId team_set(Team team);
// One that was just made of `parent`; the calling PE may not be in it.
CommId new_team(Team team, Team parent);
void forget_team(Team team);

}  // namespace photofinish::shmem
