package closed

import _ "frechet/internal/heap"
