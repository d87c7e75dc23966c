package structured

import _ "frechet/internal/heap"
