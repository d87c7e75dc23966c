package growth

import _ "frechet/internal/heap"
