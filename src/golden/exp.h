// exp is the one function that an executor may compute in its own way, within 2 ulp of FP32. To
// compare with such an executor, golden uses that executor's exp, and every bit must agree. A
// tolerance would not work: one ulp can change a rounding or a branch.
#pragma once

namespace tilewright::golden {

using Exp = float (*)(float);

// The meaning of exp: computed in double precision and rounded to FP32.
float rounded_exp(float x);

}  // namespace tilewright::golden
