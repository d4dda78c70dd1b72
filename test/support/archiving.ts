// Archives a month of a test service, as `manilla archive` does.

import { join } from 'node:path'
import { archiveMonth } from '#domain/archive/archive-month.ts'
import { monthAt } from '#domain/archive/months.ts'
import { KEY } from './proving.ts'
import { type Bench, START } from './running-service.ts'

export const YEAR_MS = 365 * 86_400_000

export const MONTH = monthAt(START)

// The month in which test services start, unless another is named.
export function archive(bench: Pick<Bench, 'db' | 'clock'>, folder: string, month = MONTH) {
  return archiveMonth(bench.db, {
    month,
    folder: join(folder, month.name),
    actor: 'ops',
    exportedAt: bench.clock(),
    product: 'manilla 0.0.0',
    mode: 'sandbox',
    key: KEY,
    onProgress: () => {},
  })
}
