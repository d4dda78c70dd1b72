// Adds sample data to an empty sandbox (docs/test-clock.md): a month of history, or one paid account and
// one paid payment. The button disappears as soon as the view has data, so the user could not retry: a
// temporary failure is retried here, with the same idempotency key.

import { useState } from 'preact/hooks'
import { accountsStrings, paymentsStrings, sampleDataStrings as strings } from '../../copy.ts'
import { getData, Problem, problemFrom, send } from '../api.ts'
import { hrefOf } from '../routing.ts'
import type { Session } from '../session.ts'
import { Button, Link } from './controls.tsx'
import { newKey } from './forms.tsx'
import { toast } from './toasts.tsx'

const TRIES_MAX = 4
const RETRY_MS = 1_000

type Props = { session: Session; refresh: () => void }

// Buttons that fill an empty sandbox. Renders nothing in production or without the right to add data.
export function SampleData({ session: { client, scopes }, refresh }: Props) {
  const [busy, setBusy] = useState<string | undefined>() // The text on the pressed button.
  const mayAdd = ['accounts:write', 'payments:write'].every((scope) => scopes.includes(scope))
  if (client.mode !== 'sandbox' || !mayAdd) return null
  // Runs one button’s work and then reloads the view. A press while any work runs is ignored.
  const add = async (label: string, message: string, work: () => Promise<void>) => {
    if (busy !== undefined) return
    setBusy(label)
    try {
      await work()
      toast(message)
    } catch (error) {
      toast(problemFrom(error).message, 'bad')
    }
    setBusy(undefined)
    refresh()
  }
  const addOne = () => add(strings.adding, strings.added, () => addSample(newKey(), ONE))
  const addMonth = () =>
    add(strings.loading(0), strings.loaded, async () => {
      await addSample(newKey(), MONTH)
      await finishSeed((percent) => setBusy(strings.loading(percent)))
    })
  return (
    <div class="sample">
      <div class="buttons">
        <Button aria-disabled={busy !== undefined} onClick={addMonth}>
          {busy !== undefined && busy !== strings.adding ? busy : strings.month}
        </Button>
        <Button aria-disabled={busy !== undefined} onClick={addOne}>
          {busy === strings.adding ? busy : strings.add}
        </Button>
      </div>
      <p class="small">{strings.monthText}</p>
      <p class="small">{strings.text}</p>
    </div>
  )
}

// The buttons of an empty view whose data is created in another view.
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

const TEMPORARY_CODES: readonly string[] = ['unreachable', 'try_again', 'busy', 'rate_limited']

// Repeats a step a few times while its failure is temporary.
async function withRetries<T>(step: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await step()
    } catch (error) {
      const isTemporary = TEMPORARY_CODES.includes(problemFrom(error).code)
      if (!isTemporary || tries === TRIES_MAX) throw error
      await new Promise((resolve) => window.setTimeout(resolve, RETRY_MS))
    }
  }
}

type Size = { accounts: number; days: number }

const ONE: Size = { accounts: 1, days: 1 } // The smallest seed. It is complete when the service answers.
const MONTH: Size = { accounts: 20, days: 30 }

// Creates the sample data. All tries have the same idempotency key.
async function addSample(key: string, body: Size): Promise<void> {
  const headers = { 'idempotency-key': key }
  await withRetries(() => send('POST', '/sandbox/seed', { body, headers }))
}

// Polls until the seed is complete, because the service continues a larger seed after its response.
async function finishSeed(show: (percent: number) => void): Promise<void> {
  for (;;) {
    const { status, percent } = await withRetries(() => getData('/sandbox/seed', {}))
    if (status === 'finished') return
    if (status === 'failed') throw new Problem('seed_failed', strings.stopped)
    show(percent)
    await new Promise((resolve) => window.setTimeout(resolve, RETRY_MS))
  }
}
