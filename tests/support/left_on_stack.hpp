#pragma once

#include <pthread.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

namespace fltr::testing {

/// Everything that `work()` left on its stack: it runs on a thread whose stack is a block of memory of the test. Look for
/// whole secrets: parts of them may be where the compiler saved a register.
template <class Work>
[[nodiscard]] std::vector<std::byte> left_on_stack(Work const& work) {
  constexpr std::size_t size = std::size_t{4} << 20U;
  std::unique_ptr<void, decltype(&std::free)> const stack(std::aligned_alloc(4096, size), &std::free);
  std::memset(stack.get(), 0, size);
  pthread_attr_t attributes;
  pthread_t thread;
  auto const run = [](void* of) -> void* {
    std::array<std::byte, std::size_t{1} << 16U> above;  // the end of the thread writes here, and not over what is left
    asm volatile("" : : "r"(&above) : "memory");
    (*static_cast<Work const*>(of))();
    asm volatile("" : : "r"(&above) : "memory");
    return nullptr;
  };
  bool const started = pthread_attr_init(&attributes) == 0 &&
                       pthread_attr_setstack(&attributes, stack.get(), size) == 0 &&
                       pthread_create(&thread, &attributes, run, const_cast<Work*>(&work)) == 0;
  if (!started || pthread_join(thread, nullptr) != 0) throw std::runtime_error("left_on_stack: pthread_create failed");
  pthread_attr_destroy(&attributes);
  auto const* const bytes = static_cast<std::byte const*>(stack.get());
  return {bytes, bytes + size};
}

}  // namespace fltr::testing
