package order

import _ "frechet/internal/heap"
