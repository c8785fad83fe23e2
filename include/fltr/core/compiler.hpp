#pragma once

// What the library needs of the compiler. Every header includes this one, directly or by another header, before any code
// that only C++20 can parse: these sentences are then the first errors. cmake/check_layers.cmake checks it.

#if __cplusplus < 202002L
#error "fltr: required C++20, got an older standard: compile with -std=c++20 (in CMake: link to fltr::fltr)"
#endif

// The screening of messages, the check of results and the readers of files look for NaN and infinity.
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ != 0)
#error \
    "fltr: required finite and infinite numbers and NaN, got -ffast-math, -Ofast or -ffinite-math-only, with which the compiler removes every check for NaN: compile fltr without these options"
#endif

// The elementary functions and compensated sums rely on the order of operations. Only g++ says that this option is on.
#if defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error \
    "fltr: required operations on floats in the order of the source, got -funsafe-math-optimizations, -fassociative-math or -freciprocal-math: compile fltr without these options"
#endif

/// Marks a function that must not be called, with the reason: the sentence of the compiler's error. For overloads that take
/// a temporary to which the result would refer. `= delete` gives no reason in C++20.
#define FLTR_UNAVAILABLE(reason) __attribute__((unavailable("fltr: " reason)))
