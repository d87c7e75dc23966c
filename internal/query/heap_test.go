package query_test

import _ "frechet/internal/heap"
