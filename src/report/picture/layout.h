// Computes the positions of the steps near a finding in its picture.
//
// Rule: the level of a timestamp is the length of the longest path to it from the start of the
// picture. Edges are program order on each lane, send to completion of the receive, entry to exit
// of a collective or epoch, and phase to phase. So no arrow points to the left, and concurrent
// steps may share a level. The two accesses of a race do, as far as other edges permit.
//
// Limit: order through ranks that are not in the picture is not shown, except that of sync points.
#pragma once

#include "report/document.h"
#include "report/picture/neighborhood.h"
#include "report/picture/picture.h"

namespace photofinish {

Picture draw(const FindingDocument& finding, const NearFinding& near);

}  // namespace photofinish
