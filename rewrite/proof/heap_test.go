package proof_test

import _ "frechet/internal/heap"
