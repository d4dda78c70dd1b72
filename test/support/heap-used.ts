// Measures the used bytes of the heap after a garbage collection, for tests of memory leaks.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

// Collects garbage, and returns the bytes of the heap that are still used.
export function heapUsed(): number {
  collect()
  return process.memoryUsage().heapUsed
}
