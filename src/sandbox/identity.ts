// The sandbox's identity service: every BVN and every NIN belongs to the account's customer. The first five
// digits of the number select another behaviour (docs/sandbox.md):
//
//   99901   the number does not exist       99903   the service is down
//   99902   another person's number         99905   answers after two seconds
//                                           99906   never answers

import { setTimeout as wait } from 'node:timers/promises'
import type { IdentityService } from '#identity/identity-api.ts'

const PREFIX_DIGITS = 5
const SLOW_MS = 2_000
const OTHER_NAME = 'ANOTHER PERSON'
const DOWN = { status: 'no_answer', reason: 'The sandbox identity service is down.' } as const

export const sandboxIdentityService: IdentityService = async ({ number, name }, signal) => {
  const matchingName = { status: 'found', name: name.toUpperCase() } as const
  switch (number.slice(0, PREFIX_DIGITS)) {
    case '99901':
      return { status: 'not_found' }
    case '99902':
      return { status: 'found', name: OTHER_NAME }
    case '99903':
      return DOWN
    case '99905':
      return (await waitFor(SLOW_MS, signal)) ? matchingName : DOWN
    case '99906':
      return (await waitFor(NEVER_MS, signal)) ? matchingName : DOWN
    default:
      return matchingName
  }
}

// Longer than any caller waits: the longest time that a timer can wait.
const NEVER_MS = 2_147_483_647

// Waits as long as the service takes to answer. Returns false if the caller gave up.
async function waitFor(ms: number, signal: AbortSignal): Promise<boolean> {
  return wait(ms, true, { signal, ref: false }).catch(() => false)
}
