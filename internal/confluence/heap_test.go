package confluence

import _ "frechet/internal/heap"
