// Every connector with all its settings: the address of the bank's API, and the settings of its
// calls. A test replaces the address by that of a scripted bank.

import type { CaseApi, ConnectorCase } from './connector-case.ts'
import { CONNECTOR_CASES } from './connector-cases.ts'

export type FullCase = ConnectorCase & { api: CaseApi }

export function fullCase(each: ConnectorCase): FullCase {
  const { api } = each
  if (!api) throw new Error(`${each.label} has no API`)
  return {
    ...each,
    label: `${each.connector}, with all calls`,
    settings: { ...each.settings, baseUrl: 'http://127.0.0.1:9', ...api.settings },
    secrets: { ...each.secrets, ...api.secrets },
    api,
  }
}

export const FULL_CASES: readonly FullCase[] = CONNECTOR_CASES.filter(({ api }) => api).map(
  fullCase,
)
