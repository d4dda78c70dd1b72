// The POSTs about subaccounts and splits that take an Idempotency-Key.

import type { Bench } from '../support/running-service.ts'
import {
  createSubaccounts,
  postSplit,
  SPLITS,
  SUBACCOUNTS,
  splitBody,
  subaccountBody,
} from '../support/splits.ts'
import type { KeyedOperation } from './keyed-operations.ts'

let made = 0
const newCode = () => `keyed-${made++}`

export const splitOperations = (bench: Bench): KeyedOperation[] => [
  {
    name: 'createSubaccount',
    ask: async () => ({ url: SUBACCOUNTS, body: subaccountBody(newCode()) }),
    others: () => subaccountBody(newCode()),
  },
  {
    name: 'createSplit',
    ask: async () => ({ url: SPLITS, body: await newSplit(bench) }),
    others: () => splitBody(newCode(), 'flat', ['other', 1]),
  },
  {
    name: 'deactivateSplit',
    ask: async () => {
      const body = await newSplit(bench)
      await postSplit(bench, body)
      return { url: `${SPLITS}/${body.splitCode}/deactivate` }
    },
  },
]

// The body of a split with a new subaccount.
async function newSplit(bench: Bench) {
  const code = newCode()
  await createSubaccounts(bench, code)
  return splitBody(code, 'percentage', [code, 1])
}
