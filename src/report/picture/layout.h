// Where the steps near a finding stand in its picture.
//
// Rule: a level is the longest way to a moment from the beginning of the picture: by program order
// on each lane, from a send to the completion of its receive, from what comes into a collective or
// an epoch to what goes on behind it, and from phase to phase. So an arrow never points to the
// left, and what is not ordered may stand side by side; the two accesses of a race do, as far as
// other order lets them. Cannot show: order by way of ranks that are not in the picture, unless it
// is that of a sync point.
#pragma once

#include "report/document.h"
#include "report/picture/neighbourhood.h"
#include "report/picture/picture.h"

namespace photofinish {

Picture draw(const FindingDocument& finding, const NearFinding& near);

}  // namespace photofinish
