package linear_test

import _ "frechet/internal/heap"
