// Runs the worker that verifies the BVN and NIN of accounts, by default with the sandbox's identity service,
// and reads the results.

import assert from 'node:assert/strict'
import { verifyIdentitiesRound } from '#identity/workers.ts'
import { sandboxIdentityService } from '#sandbox/identity.ts'
import { Sealer } from '#seal.ts'
import { ACCOUNTS, dataOf } from './fixtures.ts'
import type { Bench } from './running-service.ts'

type Settings = Partial<Parameters<typeof verifyIdentitiesRound>[0]>

// Returns one round of the worker; `settings` replace its dependencies, for example the identity service.
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

// Runs the worker until no identity check is due.
export async function verifyAll(bench: Bench, settings: Settings = {}): Promise<void> {
  const round = verifyRound(bench, settings)
  for (let count = 0; count < 1_000; count++) if (!(await round()).more) return
  assert.fail('checks are due without end')
}

// The KYC tier of an account, and the states of its BVN and NIN checks.
export async function identityOf(bench: Bench, accountNumber: string, token?: string) {
  const url = `${ACCOUNTS}/${accountNumber}/details`
  const account = dataOf(await bench.call({ url, ...(token ? { token } : {}) }))
  const { bvn, nin } = account.identity
  return [account.kycTier, bvn.status, nin.status] as const
}
