package normal

import _ "frechet/internal/heap"
