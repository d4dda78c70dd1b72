// Sample data for an empty sandbox: an account and a payment, each with a transfer, made through the
// API like any other. A view is no longer empty after the first of them, so that nobody could press
// again: what fails in passing is sent again here, with the same key.

import { useState } from 'preact/hooks'
import { accountsStrings, paymentsStrings, sampleDataStrings as strings } from '../../copy.ts'
import { getData, problemFrom, type Schemas, send } from '../api.ts'
import { follow, hrefOf } from '../routing.ts'
import type { Session } from '../session.ts'
import { newKey } from './forms.tsx'
import { toast } from './toasts.tsx'

const BVN = '22200000000' // Nobody's.
const AMOUNT = '5000.00'
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
      await addSample(client.clientId, newKey())
      toast(strings.added)
    } catch (error) {
      toast(problemFrom(error).message, 'bad')
    }
    setBusy(false)
    refresh()
  }
  return (
    <div class="sample">
      <button type="button" class="button" aria-disabled={isBusy} onClick={add}>
        {isBusy ? strings.adding : strings.add}
      </button>
      <p class="small">{strings.text}</p>
    </div>
  )
}

// Of a view that shows what others bring: what to make first.
export function FirstSteps({ session, refresh }: Props) {
  const { scopes } = session
  return (
    <>
      <div class="buttons">
        {scopes.includes('payments:write') && (
          <a class="button primary" href={newHref('payments', 'request')} onClick={follow}>
            {paymentsStrings.create.open}
          </a>
        )}
        {scopes.includes('accounts:write') && (
          <a class="button" href={newHref('accounts', 'account')} onClick={follow}>
            {accountsStrings.create.open}
          </a>
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

// Every step has a key of its own, so that none is done twice.
async function addSample(clientId: string, key: string): Promise<void> {
  const keyed = (step: string) => ({ headers: { 'idempotency-key': `${key}-${step}` } })
  const { accountNumber } = await patiently(() =>
    send('POST', '/api/v1/accounts/static', { body: accountOf(clientId), ...keyed('account') }),
  )
  const { adviceReference } = await patiently(() =>
    send('POST', '/Payment/advice', { body: REQUEST, ...keyed('request') }),
  )
  const [bank] = await patiently(() => getData('/Payment/banktransfer/supportedbank', {}))
  const { bankAccount } = await patiently(() =>
    send('POST', '/Payment/process/banktransfer/{adviceReference}', {
      params: { adviceReference },
      body: { bankCode: bank?.code ?? '' },
      ...keyed('number'),
    }),
  )
  const transfer = (to: string, step: string) => {
    const body = { accountNumber: to, kind: 'exact' as const, amount: AMOUNT }
    return patiently(() => send('POST', '/sandbox/transfers', { body, ...keyed(step) }))
  }
  await transfer(bankAccount, 'payment')
  await transfer(accountNumber, 'credit')
}

function accountOf(clientId: string): Schemas['AccountRequest'] {
  return {
    accountName: strings.name,
    bvn: BVN,
    email: 'ada@shop.example',
    phoneNumber: '+2348000000000',
    merchantId: 'sample',
    merchantCode: clientId,
    notificationUrl: 'https://shop.example/hooks',
    channel: 'dashboard',
  }
}

const REQUEST = {
  amount: AMOUNT,
  customer: { customerFullName: strings.name },
  narration: strings.narration,
  callBackUrl: 'https://shop.example/thanks',
}
