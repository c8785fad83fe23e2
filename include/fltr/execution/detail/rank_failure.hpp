#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include <fltr/core/error.hpp>

namespace fltr::detail {

/// An exception on one rank, as the other ranks learn of it. The type of the exception is kept as far as the standard
/// library, FormatError and Interrupted go, so that all ranks catch the same.
struct RankFailure {
  enum class Kind : std::uint8_t { runtime, argument, logic, format, memory, interruption };

  std::uint32_t rank = 0;
  Kind kind = Kind::runtime;
  std::string text{};

  auto fields(auto&& visit) { return visit(rank, kind, text); }

  [[nodiscard]] static RankFailure of(std::uint32_t on_rank, std::exception_ptr const& thrown) {
    constexpr std::size_t longest = 2000;  // it must fit the first message of a letter
    auto const made = [&](Kind of_kind, std::string const& what) {
      return RankFailure{on_rank, of_kind, what.size() > longest ? what.substr(0, longest) + "..." : what};
    };
    try {
      std::rethrow_exception(thrown);
    } catch (std::invalid_argument const& error) {
      return made(Kind::argument, error.what());
    } catch (std::logic_error const& error) {
      return made(Kind::logic, error.what());
    } catch (FormatError const& error) {
      return made(Kind::format, error.what());
    } catch (Interrupted const& error) {
      return made(Kind::interruption, error.what());
    } catch (std::bad_alloc const&) {
      return made(Kind::memory, "not enough memory");
    } catch (std::exception const& error) {
      return made(Kind::runtime, error.what());
    } catch (...) {
      return made(Kind::runtime, "an exception that is not a std::exception");
    }
  }

  /// "<text> (rank 1)"
  [[nodiscard]] std::string sentence() const { return text + " (rank " + std::to_string(rank) + ')'; }

  [[noreturn]] void raise() const {
    switch (kind) {
      case Kind::argument:
        throw std::invalid_argument(sentence());
      case Kind::logic:
        throw std::logic_error(sentence());
      case Kind::format:
        throw FormatError(sentence());
      case Kind::interruption:
        throw Interrupted(sentence());
      case Kind::memory:
        throw std::bad_alloc();
      case Kind::runtime:
        break;
    }
    throw std::runtime_error(sentence());
  }
};

}  // namespace fltr::detail
