// Collects the cases of all connectors, in each of their configurations: all exports of
// test/banks/<connector>/conformance-case.ts.

import { globSync } from 'node:fs'
import type { ConnectorCase } from './connector-case.ts'

const files = globSync('*/conformance-case.ts', { cwd: import.meta.dirname }).sort()
const modules: Record<string, ConnectorCase | readonly ConnectorCase[]>[] = await Promise.all(
  files.map((file) => import(`./${file}`)),
)

export const CONNECTOR_CASES: readonly ConnectorCase[] = [
  ...new Set(modules.flatMap((module) => Object.values(module).flat())),
]
