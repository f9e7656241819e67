#include "case.h"
