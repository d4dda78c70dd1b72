// Bytes of the heap that are in use, after a collection: without one, whatever ran before counts too.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

export function heapUsed(): number {
  collect()
  return process.memoryUsage().heapUsed
}
