package adjoint

import _ "frechet/internal/heap"
