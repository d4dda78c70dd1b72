// The dialects there are, one for each connector.

import type { Dialect } from './dialect.ts'
import { iso20022Dialect } from './dialects/iso20022.ts'
import { manillaDialect } from './dialects/manilla.ts'
import { providusDialect } from './dialects/providus.ts'

export const DIALECTS: readonly Dialect[] = [manillaDialect, providusDialect, iso20022Dialect]

export function findDialect(connector: string): Dialect | undefined {
  return DIALECTS.find((dialect) => dialect.connector === connector)
}
