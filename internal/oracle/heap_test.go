package oracle

import _ "frechet/internal/heap"
