// What the server tells of itself: its model, the defaults of requests, and the batch as it is.
#pragma once

#include "tilewright/serve/metrics.h"
#include "tilewright/serve/request_json.h"
#include "tilewright/serve/served_model.h"

namespace tilewright::serve {

// As an entry of /v1/models.
Value model_json(const ServedModel& model);
// For /props.
Value props_json(const ServedModel& model, const Gauges& now);

}  // namespace tilewright::serve
