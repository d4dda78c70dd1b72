// The dialects there are, one for each connector.

import type { Dialect } from './dialect.ts'
import { flutterwaveDialect } from './dialects/flutterwave.ts'
import { iso20022Dialect } from './dialects/iso20022.ts'
import { manillaDialect } from './dialects/manilla.ts'
import { monnifyDialect } from './dialects/monnify.ts'
import { nombaDialect } from './dialects/nomba.ts'
import { paystackDialect } from './dialects/paystack.ts'
import { providusDialect } from './dialects/providus.ts'
import { squadDialect } from './dialects/squad.ts'
import { wemaDialect } from './dialects/wema.ts'

export const DIALECTS: readonly Dialect[] = [
  manillaDialect,
  providusDialect,
  iso20022Dialect,
  wemaDialect,
  monnifyDialect,
  nombaDialect,
  squadDialect,
  paystackDialect,
  flutterwaveDialect,
]

export function findDialect(connector: string): Dialect | undefined {
  return DIALECTS.find((dialect) => dialect.connector === connector)
}
