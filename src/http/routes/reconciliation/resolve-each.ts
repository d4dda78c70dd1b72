// Resolves many differences, each in transactions of its own. Repeatable: what was resolved before by
// the same person the same way is fine.

import { isUnavailable, withTransaction } from '#db/transaction.ts'
import type { DifferenceAction } from '#domain/reconciliation/allowed-actions.ts'
import { finishBooking } from '#domain/reconciliation/finish-booking.ts'
import { resolveDifference } from '#domain/reconciliation/resolve-difference.ts'
import { Refusal } from '#errors.ts'
import type { Identity } from '#http/authentication.ts'
import type { Deps } from '#http/deps.ts'
import type { DifferenceId } from '#ids.ts'

const AT_ONCE = 4 // Half of the connections that write.

type Given = { ids: readonly number[]; action: DifferenceAction; reason: string }
type Result = { id: number; ok: boolean; code?: string; message?: string }

// Answers in order.
export async function resolveEach(
  deps: Deps,
  by: Identity,
  { ids, action, reason }: Given,
): Promise<Result[]> {
  const { clock, sharedAccounts, batchPool, sealer, writers } = deps
  const { client, actor, userId } = by
  const submitCredits: Parameters<typeof finishBooking>[0]['submitCredits'] = (credits) =>
    writers.credits.submitAll(credits)

  const resolve = async (shown: number): Promise<Result> => {
    const id = BigInt(shown) as DifferenceId
    try {
      await withTransaction(batchPool, (tx) => {
        const acting = { client, actor, userId, now: clock(), sharedAccounts }
        return resolveDifference(tx, acting, { id, action, reason })
      })
      await finishBooking({ batchPool, sealer, submitCredits, now: clock() }, id)
      return { id: shown, ok: true }
    } catch (error) {
      return { id: shown, ok: false, ...explain(deps, error) }
    }
  }

  const results = new Map<number, Result>()
  const waiting = [...new Set(ids)]
  const lane = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      results.set(id, await resolve(id))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  return ids.map((id) => results.get(id) as Result)
}

function explain({ log }: Deps, error: unknown): { code: string; message: string } {
  if (!(error instanceof Refusal)) log.error({ err: error }, 'failed to resolve a difference')
  const { code, message, fields } =
    error instanceof Refusal ? error : new Refusal(isUnavailable(error) ? 'try_again' : 'internal')
  return { code, message: [message, ...fields.map((field) => field.message)].join(' ') }
}
