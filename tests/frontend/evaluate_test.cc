// Python outside programs: what a configuration computes is what Python computes, and what cannot
// be computed says why.
#include <gtest/gtest.h>

#include "evaluated.h"

namespace frontend_test {
namespace {

struct Computed {
  const char* text;
  const char* value;  // of r
};

void expect_all(const std::vector<Computed>& cases) {
  for (const Computed& c : cases) EXPECT_EQ(evaluated(std::string(c.text)), c.value) << c.text;
}

TEST(Evaluate, Numbers) {
  expect_all({
      {"r = 7 // 2, -7 // 2, 7 % 3, -7 % 3, 7 % -3\n", "(3, -4, 1, 2, -2)"},
      {"r = 2 ** 10, 2 ** -1, 7 / 2, 4 / 2\n", "(1024, 0.5, 3.5, 2.0)"},
      {"r = 0x10 + 0b11 + 0o7 + 1_000\n", "1026"},
      {"r = -2 ** 2, (-2) ** 2, ~5, 6 & 3, 6 | 1, 6 ^ 2, 1 << 10, 1024 >> 3\n",
       "(-4, 4, -6, 2, 7, 4, 1024, 128)"},
      {"r = 1 < 2 < 3, 1 < 3 < 2, 3 > 2 > 1, 1 == 1.0, not 0\n", "(True, False, True, True, True)"},
      {"r = None or 3, 0 and 1, 2 and 5, '' or 'x'\n", "(3, 0, 5, 'x')"},
      {"r = 1 if 2 > 1 else 0\n", "1"},
      {"r = min(3, 1, 2), max([4, 9]), sum([1, 2, 3]), abs(-4), round(2.6), divmod(7, 2)\n",
       "(1, 9, 6, 4, 3, (3, 1))"},
      {"import math\nr = math.ceil(7 / 2), math.sqrt(16.0), math.prod([2, 3]), math.gcd(12, 18)\n",
       "(4, 4.0, 6, 6)"},
      {"r = int('12') + int(3.9), float('1.5'), bool([]), str(3)\n", "(15, 1.5, False, '3')"},
      {"r = True + True, 1 ** 1000, (-1) ** 63, pow(2, 3), pow(2.0, 3)\n", "(2, 1, -1, 8, 8.0)"},
      {"x = 4\nx += 3\nx *= 2\nx -= 1\nx //= 2\nx **= 2\nr = x\n", "36"},
  });
}

TEST(Evaluate, StringsAndFStrings) {
  expect_all({
      {"r = 'a' 'b' + \"c\" * 3\n", "'abccc'"},
      {"n = 7\nr = f'{n}:{n:04d}:{n / 2:.2f}:{n!r}:{{n}}'\n", "'7:0007:3.50:7:{n}'"},
      {"d = {'k': [1, 2]}\nr = f\"{d['k'][1]} of {len(d['k'])}\"\n", "'2 of 2'"},
      {"r = 'a-b-c'.split('-'), '-'.join(['x', 'y']), 'Ab'.upper(), ' x '.strip()\n",
       "(['a', 'b', 'c'], 'x-y', 'AB', 'x')"},
      {"r = 'layer'[1:3], 'layer'[-1], 'layer'[::-1], 'ay' in 'layer', len('layer')\n",
       "('ay', 'r', 'reyal', True, 5)"},
      {"r = 'decode.py'.replace('.py', ''), 'ab'.startswith('a'), 'ab'.endswith('a')\n",
       "('decode', True, False)"},
  });
}

TEST(Evaluate, ListsAndDictionaries) {
  expect_all({
      {"a = [1, 2]\nb = a\nb.append(3)\nr = a\n", "[1, 2, 3]"},
      {"a = [1, 2, 3, 4]\nr = a[1:], a[:-1], a[::2], a[::-1], a[-2]\n",
       "([2, 3, 4], [1, 2, 3], [1, 3], [4, 3, 2, 1], 3)"},
      {"r = [*range(3), *(4, 5)], (1,), ()\n", "([0, 1, 2, 4, 5], (1,), ())"},
      {"a, (b, c) = 1, (2, 3)\nr = [c, b, a]\n", "[3, 2, 1]"},
      {"a, *b = [1, 2, 3]\nr = b\n", "[2, 3]"},
      {"*a, b = [1, 2, 3]\nr = a, b\n", "([1, 2], 3)"},
      {"a = b = 4\nr = a + b\n", "8"},
      {"d = {'a': 1, **{'b': 2}}\nd['c'] = 3\nr = list(d), d.get('z', 9), sum(d.values())\n",
       "(['a', 'b', 'c'], 9, 6)"},
      {"r = [k * v for k, v in {2: 3, 4: 5}.items()]\n", "[6, 20]"},
      {"r = [x + y for x in range(2) for y in (10, 20) if x or y > 10]\n", "[20, 11, 21]"},
      {"x = 9\ny = [x for x in range(3)]\nr = x\n", "9"},
      {"r = sorted([3, 1, 2]), list(reversed([1, 2])), list(zip([1, 2], 'ab'))\n",
       "([1, 2, 3], [2, 1], [(1, 'a'), (2, 'b')])"},
      {"r = list(enumerate('ab', start=1)), any([0, 1]), all([])\n",
       "([(1, 'a'), (2, 'b')], True, True)"},
      {"r = list(map(lambda x: x * x, [1, 2])), list(filter(lambda x: x > 1, [1, 2]))\n",
       "([1, 4], [2])"},
      {"a = [3, 4]\na[0] = 5\na += [6]\nr = a\n", "[5, 4, 6]"},
      {"r = len({1, 1, 2}), len(set('aab')), len({x % 2 for x in range(9)})\n", "(2, 2, 2)"},
      {"s = set()\nfor i in [1, 2, 1]:\n    s.add(i)\nr = len(s)\n", "2"},
      {"(a,) = [1]\nfor (b,) in [(2,), (3,)]:\n    pass\nr = a, b\n", "(1, 3)"},
      {"import copy\na = [1, [2]]\nb = copy.copy(a)\nc = copy.deepcopy(a)\na.append(3)\n"
       "a[1].append(4)\nr = b, c\n",
       "([1, [2, 4]], [1, [2]])"},
  });
}

TEST(Evaluate, StatementsFlow) {
  expect_all({
      {"r = 0\nfor i in range(10):\n    if i == 2:\n        continue\n    if i == 5:\n"
       "        break\n    r += i\n",
       "8"},
      {"for i in range(3):\n    pass\nelse:\n    r = i\n", "2"},
      {"r = 0\nwhile r < 7:\n    r += 3\n", "9"},
      {"r = 1\nif r == 0:\n    r = 10\nelif r == 1:\n    r = 11\nelse:\n    r = 12\n", "11"},
      {"try:\n    raise ValueError\nexcept ValueError:\n    r = 1\nfinally:\n    s = 2\n", "1"},
      {"try:\n    r = int('x')\nexcept ValueError:\n    r = -1\n", "-1"},
      {"if (n := 3) > 2:\n    r = n\n", "3"},
      {"r = 1\ndel r\n", "(unbound)"},
  });
}

TEST(Evaluate, FunctionsAndClosures) {
  expect_all({
      {"def f(a, b=2, *c, d=4, **e):\n    return a, b, c, d, list(e)\n"
       "r = f(1), f(1, 3, 5, d=6, z=7), f(b=1, a=0)\n",
       "((1, 2, (), 4, []), (1, 3, (5,), 6, ['z']), (0, 1, (), 4, []))"},
      {"def outer(n):\n    def inner(m):\n        return n * m\n    return inner\nr = outer(3)(4)\n",
       "12"},
      {"N = 2\ndef f():\n    return N\nN = 5\nr = f()\n", "5"},
      {"def f():\n    x = 1\nx = 0\nf()\nr = x\n", "0"},
      {"def f(n):\n    return 1 if n < 2 else n * f(n - 1)\nr = f(10)\n", "3628800"},
      {"f = lambda x, y=1: x + y\nr = f(2), f(2, 3)\n", "(3, 5)"},
      {"def f(*a, **k):\n    return len(a) + len(k)\nr = f(*[1, 2], **{'x': 3})\n", "3"},
      {"def f(a, *, b):\n    return a - b\nr = f(5, b=2)\n", "3"},
      {"def f():\n    pass\nr = f()\n", "None"},
  });
}

TEST(Evaluate, Classes) {
  expect_all({
      {"class C:\n    n = 3\n    def __init__(self, k):\n        self.k = k\n"
       "    def f(self, x):\n        return self.k * x + self.n\nr = C(2).f(5), C.n\n",
       "(13, 3)"},
      {"class A:\n    x = 1\n    def f(self):\n        return self.x\nclass B(A):\n    x = 2\n"
       "r = B().f()\n",
       "2"},
      {"class C:\n    def __init__(self):\n        self.a = 2\n    @property\n    def d(self):\n"
       "        return self.a * 2\n    @staticmethod\n    def s(x):\n        return x + 1\n"
       "    @classmethod\n    def make(cls):\n        return cls()\n"
       "r = C.make().d, C.s(1), C().s(2)\n",
       "(4, 2, 3)"},
      {"from dataclasses import dataclass, field\n@dataclass(frozen=True)\nclass C:\n"
       "    a: int\n    b: int = 2\n    c: list = field(default_factory=list)\n"
       "    @property\n    def n(self):\n        return self.a * self.b\n"
       "r = C(3).n, C(b=5, a=1).n, C(1).c\n",
       "(6, 5, [])"},
      {"from dataclasses import dataclass\n@dataclass\nclass A:\n    a: int = 1\n@dataclass\n"
       "class B(A):\n    b: int = 2\n    def __post_init__(self):\n        self.c = self.a + self.b\n"
       "r = B(5).c, B(b=7).c\n",
       "(7, 8)"},
      {"import dataclasses\n@dataclasses.dataclass\nclass C:\n    a: int = 1\n    b: int = 2\n"
       "d = dataclasses.replace(C(), b=9)\nr = d.a, d.b, dataclasses.asdict(d)['b']\n",
       "(1, 9, 9)"},
      {"from enum import Enum, IntEnum\nclass E(Enum):\n    A = 1\n    B = 'b'\nclass I(IntEnum):\n"
       "    X = 4\nr = E.A.value, E.B.name, I.X + 1, E.A == E.A, E.A == E.B, E(1) is E.A\n",
       "(1, 'B', 5, True, False, True)"},
      {"from dataclasses import dataclass\n@dataclass\nclass C:\n    a: int = 1\n"
       "r = C() == C(1), C() == C(2), C() in [C(3), C(1)]\n",
       "(True, False, True)"},
      {"class C:\n    pass\nc = C()\nsetattr(c, 'n', 4)\nr = c.n\n", "4"},
      {"from typing import NamedTuple\nclass S(NamedTuple):\n    m: int\n    n: int = 8\n"
       "s = S(4)\nr = s.m, s.n, s.m * s.n\n",
       "(4, 8, 32)"},
      {"from typing import NamedTuple\nclass S(NamedTuple):\n    m: int\n    n: int = 8\n"
       "m, n = S(4)\nr = m + n, S(1)[1]\n",
       "(12, 8)"},
      {"class C:\n    def __call__(self, x):\n        return x + 1\n    def __getitem__(self, i):\n"
       "        return i * 2\nr = C()(1), C()[4]\n",
       "(2, 8)"},
      {"class A:\n    def __init__(self, x):\n        self.x = x\nclass B(A):\n"
       "    def __init__(self):\n        super().__init__(3)\nr = B().x\n",
       "3"},
      {"class C:\n    a = 1\nr = getattr(C, 'a'), getattr(C, 'z', 7), hasattr(C, 'z')\n",
       "(1, 7, False)"},
  });
}

TEST(Evaluate, WhatCannotBeComputedSaysWhy) {
  expect_all({
      {"r = undefined_name\n", "(unknown name undefined_name (p.py:1:5))"},
      {"HIDDEN = 64\nr = HIDEN\n", "(unknown name HIDEN; did you mean 'HIDDEN'? (p.py:2:5))"},
      {"r = {'a': 1}['b']\n", "(a dictionary without the key 'b' (p.py:1:5))"},
      {"r = [1, 2][5]\n", "(the index is out of range for a list of 2 (p.py:1:5))"},
      {"r = 1 // 0\n", "('//' by zero (p.py:1:7))"},
      {"class C:\n    hidden = 1\nr = C.hiden\n",
       "(a class has no attribute hiden; did you mean 'hidden'? (p.py:3:5))"},
      {"def f(a):\n    return a\nr = f()\n", "(a call without a (p.py:3:5))"},
      {"r = 'abc' + 1\n", "('+' of a string and an integer (p.py:1:11))"},
      {"r = 9223372036854775807 + 1\n",
       "(an index expression does not fit in 64 bits (p.py:1:25))"},
      {"r = 2 ** 100\n", "(2 ** 100 does not fit in 64 bits (p.py:1:7))"},
      {"a, b = 1, 2, 3\nr = a\n",
       "(cannot unpack 3 values into 2 names (p.py:1:1), through p.py:2:5)"},
      {"a = []\na.append(a)\nr = len(a)\n", "0"},
  });
}

}  // namespace
}  // namespace frontend_test
