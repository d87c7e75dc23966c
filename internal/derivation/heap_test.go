package derivation_test

import _ "frechet/internal/heap"
