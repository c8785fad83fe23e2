// Prints the x86-64 levels that the processor has, as CMake lists them.
#include <cstdio>

int main() {
  std::printf("x86-64");
  bool const v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  bool const v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  bool const v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  if (v2) std::printf(";x86-64-v2");
  if (v3) std::printf(";x86-64-v3");
  if (v4) std::printf(";x86-64-v4");
}
