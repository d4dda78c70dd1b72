// A credit in the form of each bank that sends single JSON notifications, and in one of our own
// with amounts in kobo.

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
