// Writes a credit in the form of each bank that sends one JSON object per notification, and in a form of
// our own with amounts in kobo.

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
