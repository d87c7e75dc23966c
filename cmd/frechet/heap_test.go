package main

import _ "frechet/internal/heap"
