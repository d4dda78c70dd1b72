// Writes what this process observed of banks, and renews the facts that payments are routed by. Every
// process runs it, workers or not.

import type { CallMeter } from '#banks/observe-calls.ts'
import type { Clock } from '#clock.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import type { Pool } from '#db/pool.ts'
import { readFreeNumbers } from '#domain/accounts/free-numbers.ts'
import { readWithheldShares } from '#domain/credits/withheld-shares.ts'
import { syncRoutes } from '#domain/routing/bank-routes.ts'
import type { PaymentRouter } from '#domain/routing/payment-router.ts'
import type { Round } from './loop.ts'

type Deps = {
  db: Pool
  clock: Clock
  banks: readonly BankSettings[]
  callMeter: CallMeter
  paymentRouter: PaymentRouter
}

const SHARES_MAX_AGE_MS = 60_000

export function syncRoutingRound({ db, clock, banks, callMeter, paymentRouter }: Deps): Round {
  let shares: { atMs: number; perMille: Map<string, number> } | undefined
  return async () => {
    const now = clock()
    const news = { counts: callMeter.take(), tried: paymentRouter.takeTried() }
    const routes = await syncRoutes(db, now, news).catch((error) => {
      callMeter.giveBack(news.counts)
      paymentRouter.giveBackTried(news.tried)
      throw error
    })
    const nowMs = performance.now()
    if (!shares || nowMs - shares.atMs > SHARES_MAX_AGE_MS) {
      shares = { atMs: nowMs, perMille: await readWithheldShares(db) }
    }
    const numbers = await readFreeNumbers(db, now, banks)
    paymentRouter.renew({ routes, numbers, withheldPerMille: shares.perMille })
    return { more: false }
  }
}
