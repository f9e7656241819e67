// exp is the one function that an executor may compute in its own way, at most 2 ulp of FP32 away.
// Held against such an executor, golden computes with the same exp, and every bit must agree: an
// ulp may become a step of a rounding or turn a branch, so no tolerance afterwards would be right.
#pragma once

namespace tilewright::golden {

using Exp = float (*)(float);

// The meaning of exp: computed in double precision and rounded to FP32.
float rounded_exp(float x);

}  // namespace tilewright::golden
