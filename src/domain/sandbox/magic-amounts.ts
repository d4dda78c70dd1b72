// Magic amounts: if a simulate call asks for scenarios, the kobo of ₦7,777 choose one. All other amounts,
// and all calls that do not ask, make ordinary transfers.

import type { Kobo } from '#money.ts'
import type { SandboxTransfer } from './sandbox-transfers.ts'

export type Scenario = { kind: SandboxTransfer; times?: number; afterSeconds?: number }

const SCENARIOS: ReadonlyMap<bigint, Scenario> = new Map<bigint, Scenario>([
  [7_777_01n, { kind: 'duplicate', times: 1 }],
  [7_777_02n, { kind: 'out_of_order' }],
  [7_777_03n, { kind: 'reversal_first' }],
  [7_777_04n, { kind: 'reversed', afterSeconds: 10 }],
  [7_777_05n, { kind: 'wrong_currency' }],
  [7_777_06n, { kind: 'delayed', afterSeconds: 30 }],
  [7_777_07n, { kind: 'lost' }],
])

export function scenarioOf(amountKobo: Kobo): Scenario | undefined {
  return SCENARIOS.get(amountKobo)
}
