# Included by tests that interrupt programs and compare their results.

# content(<variable> <folder>): what must not depend on interruptions. The 15th column of rounds.csv is `seconds`.
function(content variable folder)
  file(READ ${folder}/rounds.csv rounds)
  string(REPEAT "[^,\n]*," 14 before)  # regular expressions of CMake have no {14}
  string(REGEX REPLACE "(\n${before})[^,\n]*" "\\1" rounds "${rounds}")
  file(READ ${folder}/run.json json)
  set(results)
  foreach(key result privacy interactions model_sha256 interrupted)
    string(JSON part ERROR_VARIABLE none GET "${json}" ${key})
    string(REGEX REPLACE "\"seconds\" : [0-9.e+-]+" "" part "${part}")  # of unlearning: processor time
    string(APPEND results "${key} ${part}\n")
  endforeach()
  set(hashes)
  file(GLOB_RECURSE files RELATIVE ${folder} ${folder}/queries.csv ${folder}/*.fltr)
  foreach(file IN LISTS files)
    file(SHA256 ${folder}/${file} hash)
    string(APPEND hashes "${file} ${hash}\n")
  endforeach()
  set(${variable} "${rounds}${results}${hashes}" PARENT_SCOPE)
endfunction()

function(same_content folder expected)
  content(got ${folder})
  if(NOT got STREQUAL expected)
    message(FATAL_ERROR "${folder}: another result than without interruption. Required:\n${expected}\ngot:\n${got}")
  endif()
endfunction()
