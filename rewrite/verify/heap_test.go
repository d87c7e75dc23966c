package verify

import _ "frechet/internal/heap"
