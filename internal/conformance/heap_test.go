package conformance_test

import _ "frechet/internal/heap"
