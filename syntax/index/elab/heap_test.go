package elab_test

import _ "frechet/internal/heap"
