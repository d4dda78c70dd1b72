// How the banks of single JSON notifications would write a credit, each once, and one of our own that
// writes amounts in kobo.

import { CONNECTOR_CASES } from './connector-cases.ts'
import { KOBO_RENDERING } from './kobo-rendering.ts'
import type { NestedRendering } from './renderings.ts'

const byFormat = new Map(
  CONNECTOR_CASES.flatMap(({ rendering }) => (rendering ? [[rendering.format, rendering]] : [])),
)

export const CONNECTOR_RENDERINGS: readonly NestedRendering[] = [
  ...byFormat.values(),
  KOBO_RENDERING,
]
