// Returns each connector's case with all settings, including those of its outgoing calls. A test replaces
// the address of the bank's API by that of a scripted bank.

import type { CaseApi, ConnectorCase } from './connector-case.ts'
import { CONNECTOR_CASES } from './connector-cases.ts'

export type FullCase = ConnectorCase & { api: CaseApi }

// Returns the case with all settings. The address of the API is one at which nothing answers.
export function fullCase(connectorCase: ConnectorCase): FullCase {
  const { api } = connectorCase
  if (!api) throw new Error(`${connectorCase.label} has no API`)
  return {
    ...connectorCase,
    label: `${connectorCase.connector}, with all calls`,
    settings: { ...connectorCase.settings, baseUrl: 'http://127.0.0.1:9', ...api.settings },
    secrets: { ...connectorCase.secrets, ...api.secrets },
    api,
  }
}

export const FULL_CASES: readonly FullCase[] = CONNECTOR_CASES.filter(({ api }) => api).map(
  fullCase,
)
