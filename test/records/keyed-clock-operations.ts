// The POSTs about the sandbox's clock and seeds that take an Idempotency-Key.

import type { KeyedOperation } from './keyed-operations.ts'

export const clockOperations = (): KeyedOperation[] => [
  {
    name: 'seedSandbox',
    ask: async () => ({ url: '/sandbox/seed', body: { accounts: 1, days: 1 } }),
    others: () => ({ accounts: 2, days: 1 }),
  },
  {
    name: 'advanceSandboxClock',
    ask: async () => ({ url: '/sandbox/clock/advance', body: { seconds: 1 } }),
    others: () => ({ seconds: 2 }),
  },
]
