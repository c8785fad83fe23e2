// The note of a round that begins. Names, locks and parts: checkpoint_test.cpp.

#include <fltr/formats/checkpoint_folder.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/catch.hpp"
#include "support/temporary.hpp"

using namespace fltr;

TEST_CASE("The note of a begun round is that of its training and rank, and a damaged one is none") {
  fltr::testing::TemporaryFolder const place;
  CheckpointFolder const folder(place.path(), 0, 2);
  CheckpointFolder const other(place.path(), 1, 2);
  CHECK(folder.noted_begun("one").round == 0);
  folder.note_begun("one", 9);
  folder.note_begun("one", 4);  // the last note counts
  folder.note_begun("two", 7);
  other.note_begun("one", 5);
  CHECK(folder.noted_begun("one").round == 4);
  CHECK(folder.noted_begun("two").round == 7);
  CHECK(other.noted_begun("one").round == 5);
  CHECK(other.noted_begun("two").round == 0);
  CHECK_FALSE(folder.holds_checkpoints());
  CHECK_FALSE(folder.noted_begun("one").ended);
  for (bool const forgets : {false, true})
    for (bool const ended : {false, true}) {
      folder.note_begun("three", 5, forgets, ended);
      CHECK(folder.noted_begun("three").round == 5);
      CHECK(folder.noted_begun("three").forgets == forgets);
      CHECK(folder.noted_begun("three").ended == ended);
    }

  auto const note = place.path() / "two.begun.0-of-2.fltr";
  for (std::streamoff at = 0; at < 8; ++at) {
    folder.note_begun("two", 7);
    std::fstream file(note, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file.put('\x55');
    file.close();
    CHECK(folder.noted_begun("two").round == 0);
  }
  std::filesystem::resize_file(note, 4);
  CHECK(folder.noted_begun("two").round == 0);
}

TEST_CASE("A cleared folder has no note of a begun round, and the other ranks keep theirs") {
  fltr::testing::TemporaryFolder const place;
  CheckpointFolder const folder(place.path(), 0, 2);
  CheckpointFolder const other(place.path(), 1, 2);
  folder.note_begun("one", 9);
  folder.note_begun("two", 3);
  other.note_begun("one", 5);
  folder.clear();
  CHECK(folder.noted_begun("one").round == 0);
  CHECK(folder.noted_begun("two").round == 0);
  CHECK(other.noted_begun("one").round == 5);
}
