package frechet_test

import _ "frechet/internal/heap"
