package plans_test

import _ "frechet/internal/heap"
