#include <gtest/gtest.h>
TEST(V,x){}
