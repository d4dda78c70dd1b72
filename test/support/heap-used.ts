// Used bytes of the heap after a collection, which removes the garbage of earlier work.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

export function heapUsed(): number {
  collect()
  return process.memoryUsage().heapUsed
}
