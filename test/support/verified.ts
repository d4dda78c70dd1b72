// Verifies the BVN and the NIN of an account, as the sandbox's identity service does, and reads what became
// of it.

import assert from 'node:assert/strict'
import { verifyIdentitiesRound } from '#identity/workers.ts'
import { sandboxIdentityService } from '#sandbox/identity.ts'
import { Sealer } from '#seal.ts'
import { ACCOUNTS, dataOf } from './fixtures.ts'
import type { Bench } from './running-service.ts'

type Settings = Partial<Parameters<typeof verifyIdentitiesRound>[0]>

export function verifyRound(bench: Bench, settings: Settings = {}) {
  const { data, hash } = bench.config.secrets
  const round = verifyIdentitiesRound({
    db: bench.db,
    clock: bench.clock,
    sealer: new Sealer(data, hash),
    identityService: sandboxIdentityService,
    identityTimeoutMs: 1_000,
    ...settings,
  })
  return () => round(new AbortController().signal)
}

// Asks until nothing is due.
export async function verifyAll(bench: Bench, settings: Settings = {}): Promise<void> {
  const round = verifyRound(bench, settings)
  for (let count = 0; count < 1_000; count++) if (!(await round()).more) return
  assert.fail('checks are due without end')
}

export async function identityOf(bench: Bench, accountNumber: string, token?: string) {
  const url = `${ACCOUNTS}/${accountNumber}/details`
  const account = dataOf(await bench.call({ url, ...(token ? { token } : {}) }), 'account')
  const { bvn, nin } = account.identity
  return [account.kycTier, bvn.status, nin.status] as const
}
