// The next steps of a new client, until each of them is done: its first owner, its fee, its ceilings, its
// webhooks and its first payment.

import { clientsStrings as strings } from '../../../copy.ts'
import { getData, getPage } from '../../api.ts'
import { useLoaded } from '../../loading.ts'
import { Icon } from '../../parts/icons.tsx'
import { Link } from '../../parts/link.tsx'
import { hrefOf } from '../../routing.ts'
import { CLIENT } from './client-form.tsx'

type Name = keyof typeof strings.steps
type Done = Readonly<Record<Name, boolean>>

const USAGE_DAYS = '31' // The longest period that the service reports.

// Finds out from the client's data which steps are done.
async function findDone(clientId: string, signal: AbortSignal): Promise<Done> {
  const firstOfClient = { query: { clientId, limit: '1' }, signal }
  const [users, fees, ceilings, usage] = await Promise.all([
    getPage('/dashboard/api/users', {}, firstOfClient),
    getPage('/api/v1/operator/fee-rules', {}, firstOfClient),
    getData(`${CLIENT}/collection-ceilings`, { clientId }, { signal }),
    getData(`${CLIENT}/use`, { clientId }, { query: { days: USAGE_DAYS }, signal }),
  ])
  return {
    owner: users.data.length > 0,
    fee: fees.data.length > 0,
    limits: ceilings.tiers.some(
      ({ perCredit, perDay, balanceMax }) => perCredit ?? perDay ?? balanceMax,
    ),
    endpoint: usage.days.some(({ webhooks }) => webhooks > 0),
    payment: usage.days.some(({ credits }) => credits > 0),
  }
}

// Returns the link to each step. Steps without a link can be done only by the client itself.
const hrefsOf = (clientId: string): Record<Name, string | undefined> => ({
  owner: hrefOf('clients', undefined, { usersOf: clientId, new: 'user' }),
  fee: hrefOf('settings', undefined, { tab: 'fees', new: 'fee', client: clientId }),
  limits: hrefOf('settings', undefined, { tab: 'limits' }),
  endpoint: undefined,
  payment: undefined,
})

// Renders nothing until it is known which steps are done.
export function NextSteps({ clientId, refreshKey }: { clientId: string; refreshKey: number }) {
  const { data: done } = useLoaded(`next steps ${clientId} ${refreshKey}`, (signal) =>
    findDone(clientId, signal),
  )
  const hrefs = hrefsOf(clientId)
  const names = Object.keys(strings.steps) as Name[]
  if (!done || names.every((name) => done[name])) return null
  return (
    <section class="card setup next-steps" aria-labelledby="next-steps">
      <header class="card-top">
        <h3 id="next-steps">{strings.nextSteps}</h3>
        <span class="muted">
          {strings.stepsDone(names.filter((name) => done[name]).length, names.length)}
        </span>
      </header>
      <ol>
        {names.map((name) => (
          <li key={name} data-done={done[name]}>
            <Icon name={done[name] ? 'check' : 'onward'} />
            <span class="hidden">{done[name] ? strings.stepDone : strings.stepToDo}</span>
            <div>
              <Step href={done[name] ? undefined : hrefs[name]} name={strings.steps[name][0]} />
              <p class="muted small">{strings.steps[name][1]}</p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Step({ href, name }: { href: string | undefined; name: string }) {
  return href ? <Link href={href}>{name}</Link> : <span>{name}</span>
}
