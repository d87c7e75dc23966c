package jacobian

import _ "frechet/internal/heap"
