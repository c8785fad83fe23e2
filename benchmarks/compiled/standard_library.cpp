// A baseline of the suite `compilation`.
#include <bits/stdc++.h>
