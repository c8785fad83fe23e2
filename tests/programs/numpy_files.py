"""numpy_files.py <numpy_in_and_out> <npy_copy> <folder>: called by numpy.cmake."""

import pathlib
import subprocess
import sys

import numpy as np

program, copy, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
random = np.random.default_rng(1)


def run(*arguments):
    return subprocess.run([str(a) for a in arguments], capture_output=True, text=True)


def check(holds, what):
    if not holds:
        sys.exit("numpy_files.py: required " + what)


def save(name, array, version=None):
    with open(folder / name, "wb") as file:
        np.lib.format.write_array(file, array, version=version)
    return folder / name


# Every dtype, both byte orders, both layouts, all versions of the format: a copy has the same values and shape.
for kind in "f4 f8 b1 i1 i2 i4 i8 u1 u2 u4 u8".split():
    pairs = []
    for order in "<>":
        for shape in [(0,), (5,), (3000,), (1, 1), (4, 7), (0, 3), (300, 11)]:
            size = int(np.prod(shape))
            if kind[0] == "f":
                values = random.standard_normal(size) * 10.0 ** random.integers(-30, 30, size)
            else:
                values = np.frombuffer(random.bytes(8 * size), np.uint64)
                values = values % 2 if kind == "b1" else values
            array = values.astype(np.dtype(order + kind)).reshape(shape)
            for layout in "CF":
                for version in [(1, 0), (2, 0), (3, 0)]:
                    array = np.array(array, order=layout)
                    name = f"{kind}-{len(pairs)}.npy"
                    pairs.append((array, save(name, array, version), folder / ("copy-" + name)))
    result = run(copy, kind, *[path for _, before, after in pairs for path in (before, after)])
    check(result.returncode == 0, f"a copy of {kind}, got {result.stderr}")
    for array, before, after in pairs:
        got = np.load(after, allow_pickle=False)
        check(got.dtype == np.dtype("<" + kind), f"the dtype {kind} in {after}, got {got.dtype}")
        check(got.shape == array.shape and np.array_equal(got, array), f"{after} equal to {before}")

# Other dtypes are refused with the path.
for array in [np.array(["a", "b"]), np.array([1 + 2j]), np.array([1.5], np.float16), np.array([(1, 2)], "i4,i4")]:
    result = run(copy, "f8", save("refused.npy", array), folder / "never.npy")
    check(result.returncode == 1 and "refused.npy: required a dtype" in result.stderr, f"an error, got {result.stderr}")
np.save(folder / "refused.npy", np.array([{}], object), allow_pickle=True)
result = run(copy, "f8", folder / "refused.npy", folder / "never.npy")
check(result.returncode == 1 and "'|O'" in result.stderr, f"an error that names the dtype, got {result.stderr}")
check(not (folder / "never.npy").exists(), "no file after an error")

# Features, labels and query ids in, scores and weights out.
queries, documents, features = 30, 12, 9
x = random.uniform(size=(queries * documents, features))
labels = np.clip(np.round(4 * x[:, 0]), 0, 4)
qids = np.repeat(random.permutation(1000)[:queries], documents)
paths = [folder / f"{name}.npy" for name in ("features", "labels", "qids", "scores", "weights")]
first = None
for feature_type, label_type, qid_type in [("<f4", "<i8", "<i8"), (">f8", "<f4", "<u2"), ("<f4", "|u1", "<i4")]:
    given = np.asfortranarray(x.astype(np.float32).astype(feature_type))
    for path, array in zip(paths, (given, labels.astype(label_type), qids.astype(qid_type))):
        np.save(path, array)
    result = run(program, *paths)
    check(result.returncode == 0, f"a run without an error, got {result.stderr}")
    check(result.stdout.startswith("30 queries, 360 documents, 9 features\n"), f"the counts, got {result.stdout}")
    scores, weights = np.load(paths[3]), np.load(paths[4])
    check(scores.dtype == np.float32 and scores.shape == (360,), "one float32 per document")
    check(weights.shape == (9,) and np.any(weights != 0), "a trained weight per feature")
    # Ten roundings of float32 (2^-24 each) of sums that are at most Σ |x_k w_k|.
    bound = 10 * 2.0**-24 * (np.abs(given) @ np.abs(weights.astype(np.float64)))
    difference = np.abs(given.astype(np.float64) @ weights.astype(np.float64) - scores)
    check(np.all(difference <= bound), "scores equal to features @ weights")
    # The same data in other dtypes gives the same bits.
    first = scores if first is None else first
    check(np.array_equal(first, scores), "the same scores for every dtype")

# Documents of one query that are not consecutive are an error with the path and the row.
np.save(paths[2], np.concatenate([qids[:-1], qids[:1]]))
result = run(program, *paths)
check(result.returncode == 1 and "qids.npy" in result.stderr and "again in row 359" in result.stderr, "an error")
