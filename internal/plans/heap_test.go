<<<<<<<< HEAD:internal/plans/heap_test.go
package plans_test
========
package linear_test
>>>>>>>> 746e399 (Reserved memory for the tests that were moved):internal/linear/heap_test.go

import _ "frechet/internal/heap"
