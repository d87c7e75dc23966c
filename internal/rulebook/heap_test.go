package rulebook_test

import _ "frechet/internal/heap"
