// The formats a bank can be configured to send. Which one a bank speaks is settled with that bank,
// never guessed from a body.

import { camt054Format } from './camt054.ts'
import type { BankFormat } from './format.ts'
import { jsonFormat } from './json.ts'
import { providusFormat } from './providus.ts'

export const FORMATS: readonly BankFormat[] = [jsonFormat, providusFormat, camt054Format]

export function findFormat(name: string): BankFormat | undefined {
  return FORMATS.find((format) => format.name === name)
}
