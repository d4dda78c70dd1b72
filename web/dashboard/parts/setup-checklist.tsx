// The first steps of a client, by role: developers integrate, merchants prepare to be paid, operators set up
// the service. A step is ticked off if the data shows that it was done. The list stays until all are done, or
// until the user dismisses it on this device; after the first credit it is folded.

import { useState } from 'preact/hooks'
import { setupStrings as strings } from '../../copy.ts'
import { getData, getPage, type PagePath, type Params } from '../api.ts'
import { useLoaded } from '../loading.ts'
import { hrefOf } from '../routing.ts'
import type { Session } from '../session.ts'
import { Button, Link } from './controls.tsx'
import { Icon } from './icons.tsx'
import { toastWithUndo } from './toasts.tsx'

type StepName = keyof typeof strings.steps
type Step = { scope: string; href: string; isDone: (signal: AbortSignal) => Promise<boolean> }

// `initial` is the number of rows that exist from the start, such as the operator's own client.
const hasRows =
  <P extends PagePath>(path: P, initial = 0) =>
  async (signal: AbortSignal) => {
    const query = { limit: `${initial + 1}` }
    const { data } = await getPage(path, {} as Params<P>, { query, signal })
    return data.length > initial
  }

// Whether settlements close on a schedule, and not only by hand.
async function areSettlementsScheduled(signal: AbortSignal): Promise<boolean> {
  const { schedule } = await getData('/api/v1/settlement-settings', {}, { signal })
  return schedule !== 'manual'
}

async function isMakerChecker(signal: AbortSignal): Promise<boolean> {
  return (await getData('/api/v1/suspense/settings', {}, { signal })).makerChecker
}

// Whether any bank has sent a notification or answered yet.
async function hasHeardFromBank(signal: AbortSignal): Promise<boolean> {
  const banks = await getData('/api/v1/operator/banks', {}, { signal })
  return banks.some(({ lastHeardAt }) => lastHeardAt !== null)
}

// Whether the client has signed in to the API with any of its secrets.
async function areApiSecretsUsed(signal: AbortSignal): Promise<boolean> {
  const { secrets } = await getData('/dashboard/api/client', {}, { signal })
  return secrets.some(({ usedAt }) => usedAt !== null)
}

// Whether payers see a name, a colour or a logo that the client has set.
async function hasOwnBranding(signal: AbortSignal): Promise<boolean> {
  const { isOwnName, isOwnColour, logo } = await getData('/api/v1/branding', {}, { signal })
  return isOwnName || isOwnColour || logo !== null
}

const tabHref = (view: string, name: string) => hrefOf(view, undefined, { tab: name })
const createHref = (view: string, thing: string) => hrefOf(view, undefined, { new: thing })

const STEPS: Readonly<Record<StepName, Step>> = {
  banks: { scope: 'operator', href: hrefOf('banks'), isDone: hasHeardFromBank },
  client: {
    scope: 'operator',
    href: hrefOf('clients'),
    isDone: hasRows('/api/v1/operator/clients', 1),
  },
  fees: {
    scope: 'operator',
    href: tabHref('settings', 'fees'),
    isDone: hasRows('/api/v1/operator/fee-rules'),
  },
  statement: {
    scope: 'accounting:write',
    href: hrefOf('reconciliation'),
    isDone: hasRows('/api/v1/operator/statements'),
  },
  keys: { scope: 'webhooks:write', href: hrefOf('developers'), isDone: areApiSecretsUsed },
  account: {
    scope: 'accounts:write',
    href: createHref('accounts', 'account'),
    isDone: hasRows('/api/v1/accounts/static'),
  },
  payment: {
    scope: 'payments:write',
    href: createHref('payments', 'request'),
    isDone: hasRows('/api/v1/payments'),
  },
  transfer: {
    scope: 'payments:write',
    href: hrefOf('sandbox-bank'),
    isDone: hasRows('/api/v1/credits'),
  },
  endpoint: {
    scope: 'webhooks:write',
    href: hrefOf('webhooks'),
    isDone: hasRows('/api/v1/webhook-endpoints'),
  },
  bankAccount: {
    scope: 'payouts:write',
    href: tabHref('payouts', 'bankAccounts'),
    isDone: hasRows('/api/v1/bank-accounts'),
  },
  schedule: {
    scope: 'payouts:write',
    href: tabHref('settlements', 'settings'),
    isDone: areSettlementsScheduled,
  },
  approvals: {
    scope: 'suspense:write',
    href: tabHref('settings', 'approvals'),
    isDone: isMakerChecker,
  },
  people: {
    scope: 'accounts:write',
    href: tabHref('settings', 'users'),
    isDone: hasRows('/dashboard/api/users', 1),
  },
  branding: {
    scope: 'accounts:write',
    href: tabHref('settings', 'branding'),
    isDone: hasOwnBranding,
  },
}

const INTEGRATE: readonly StepName[] = ['keys', 'account', 'payment', 'transfer', 'endpoint']
const GET_PAID: readonly StepName[] = ['bankAccount', 'schedule', 'approvals']

const STEPS_OF: Readonly<Record<string, readonly StepName[]>> = {
  developer: INTEGRATE,
  finance: [...GET_PAID, 'statement'],
  operator: ['banks', 'client', 'fees', 'statement', 'approvals'],
  owner: ['account', 'payment', 'people', ...GET_PAID, 'branding', 'keys', 'endpoint'],
}

const DISMISSED = 'manilla-setup-dismissed'

// Shows the steps that the user’s role and scopes allow, until all are done or the user dismisses the list.
export function SetupChecklist(props: { session: Session; refreshKey: number; isFolded: boolean }) {
  const { session, refreshKey, isFolded } = props
  const { role, scopes, client, user } = session
  const key = `${DISMISSED} ${user.id}`
  const [isDismissed, setDismissed] = useState(window.localStorage.getItem(key) !== null)
  // Only operators see the secrets of an operator's client.
  const hasKeys = role === 'operator' || !client.isOperator
  const isOffered = (name: StepName) =>
    scopes.includes(STEPS[name].scope) &&
    (name !== 'transfer' || client.mode === 'sandbox') &&
    (name !== 'keys' || hasKeys)
  const isTryingOut = role === 'operator' && client.mode === 'sandbox'
  const steps = [...(STEPS_OF[role] ?? []), ...(isTryingOut ? INTEGRATE : [])]
  const names = steps.filter(isOffered)
  const isNeeded = !isDismissed && names.length > 0
  const { data: done } = useLoaded(`setup ${isNeeded} ${refreshKey}`, (signal) =>
    isNeeded ? findDone(names, signal) : Promise.resolve([]),
  )
  // A folded list shows the count of finished steps, so it appears once they are known.
  if (!isNeeded || (isFolded && !done) || done?.length === names.length) return null
  // Hides the list for this user in this browser. The toast offers to undo it.
  const dismiss = () => {
    window.localStorage.setItem(key, 'yes')
    setDismissed(true)
    toastWithUndo(strings.dismissed, () => {
      window.localStorage.removeItem(key)
      setDismissed(false)
    })
  }
  const list = <StepList names={names} done={done ?? []} dismiss={dismiss} />
  const count = strings.count(done?.length ?? 0, names.length)
  if (isFolded) {
    return (
      <details class="card setup">
        <summary>
          {strings.title} <span class="muted">{count}</span>
        </summary>
        {list}
      </details>
    )
  }
  return (
    <section class="card setup" aria-labelledby="setup">
      <header class="card-top">
        <h2 id="setup">{strings.title}</h2>
        <span class="muted">{count}</span>
      </header>
      {list}
    </section>
  )
}

type StepsProps = { names: readonly StepName[]; done: readonly StepName[]; dismiss: () => void }

function StepList({ names, done, dismiss }: StepsProps) {
  return (
    <>
      <ol>
        {names.map((name) => (
          <li key={name} data-done={done.includes(name)}>
            <Icon name={done.includes(name) ? 'check' : 'onward'} />
            <span class="hidden">{done.includes(name) ? strings.done : strings.toDo}</span>
            <div>
              <Link href={STEPS[name].href}>{strings.steps[name][0]}</Link>
              <p class="muted small">{strings.steps[name][1]}</p>
            </div>
          </li>
        ))}
      </ol>
      <p class="setup-end">
        <Button style="quiet" onClick={dismiss}>
          {strings.dismiss}
        </Button>
      </p>
    </>
  )
}

// A step that cannot be checked is treated as not done.
async function findDone(names: readonly StepName[], signal: AbortSignal): Promise<StepName[]> {
  const results = await Promise.all(
    names.map(async (name) => STEPS[name].isDone(signal).catch(() => false)),
  )
  return names.filter((_, index) => results[index])
}
