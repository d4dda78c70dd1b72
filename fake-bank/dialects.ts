// Loads all dialects: every export of dialects/*.ts whose name ends with Dialect. A new bank needs only a
// new file there.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Dialect } from './dialect.ts'

const FOLDER = join(import.meta.dirname, 'dialects')

const modules: object[] = await Promise.all(
  readdirSync(FOLDER)
    .sort()
    .map((file) => import(`./dialects/${file}`)),
)

export const DIALECTS: readonly Dialect[] = modules.flatMap((module) =>
  Object.entries(module).flatMap(([name, value]) => (name.endsWith('Dialect') ? [value] : [])),
)

export function findDialect(connector: string): Dialect | undefined {
  return DIALECTS.find((dialect) => dialect.connector === connector)
}
