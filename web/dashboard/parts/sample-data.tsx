// Sample data for an empty sandbox: an account and a payment, each with a transfer (docs/test-clock.md). The
// button disappears once a view has data, so a passing failure is retried here with the same key.

import { useState } from 'preact/hooks'
import { accountsStrings, paymentsStrings, sampleDataStrings as strings } from '../../copy.ts'
import { problemFrom, send } from '../api.ts'
import { hrefOf } from '../routing.ts'
import type { Session } from '../session.ts'
import { Button } from './button.tsx'
import { newKey } from './forms.tsx'
import { Link } from './link.tsx'
import { toast } from './toasts.tsx'

const TRIES_MAX = 4
const RETRY_MS = 1_000

type Props = { session: Session; refresh: () => void }

export function SampleData({ session: { client, scopes }, refresh }: Props) {
  const [isBusy, setBusy] = useState(false)
  const mayAdd = ['accounts:write', 'payments:write'].every((scope) => scopes.includes(scope))
  if (client.mode !== 'sandbox' || !mayAdd) return null
  const add = async () => {
    if (isBusy) return
    setBusy(true)
    try {
      await addSample(newKey())
      toast(strings.added)
    } catch (error) {
      toast(problemFrom(error).message, 'bad')
    }
    setBusy(false)
    refresh()
  }
  return (
    <div class="sample">
      <Button aria-disabled={isBusy} onClick={add}>
        {isBusy ? strings.adding : strings.add}
      </Button>
      <p class="small">{strings.text}</p>
    </div>
  )
}

// For views whose data others create.
export function FirstSteps({ session, refresh }: Props) {
  const { scopes } = session
  return (
    <>
      <div class="buttons">
        {scopes.includes('payments:write') && (
          <Link class="button primary" href={newHref('payments', 'request')}>
            {paymentsStrings.create.open}
          </Link>
        )}
        {scopes.includes('accounts:write') && (
          <Link class="button" href={newHref('accounts', 'account')}>
            {accountsStrings.create.open}
          </Link>
        )}
      </div>
      <SampleData session={session} refresh={refresh} />
    </>
  )
}

const newHref = (view: string, thing: string) => hrefOf(view, undefined, { new: thing })

const PASSING: readonly string[] = ['unreachable', 'try_again', 'busy', 'rate_limited']

async function patiently<T>(step: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await step()
    } catch (error) {
      const isPassing = PASSING.includes(problemFrom(error).code)
      if (!isPassing || tries === TRIES_MAX) throw error
      await new Promise((resolve) => window.setTimeout(resolve, RETRY_MS))
    }
  }
}

// The smallest seed, complete when the service answers.
async function addSample(key: string): Promise<void> {
  const headers = { 'idempotency-key': key }
  await patiently(() => send('POST', '/sandbox/seed', { body: { accounts: 1, days: 1 }, headers }))
}
