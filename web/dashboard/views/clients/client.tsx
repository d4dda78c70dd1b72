// The drawer of a client: its next steps while it is new, scopes, usage, secrets and actions.

import { appStrings, clientsStrings as strings } from '../../../copy.ts'
import { getData, getPage, type Query, type Schemas, send } from '../../api.ts'
import { day } from '../../format.ts'
import { useData, useLoaded } from '../../loading.ts'
import { Action, OpenButton } from '../../parts/action.tsx'
import { Link } from '../../parts/controls.tsx'
import { Detail, factList } from '../../parts/drawer.tsx'
import { ReasonField } from '../../parts/forms.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Pending } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Copyable, Money, TextHeadline, Time } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import { ClientSecrets } from '../developers/client-secrets.tsx'
import { CLIENT, ClientBadge, type ClientDetail, ClientForm } from './client-form.tsx'
import { TaxSettings } from './tax-settings.tsx'

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
function NextSteps({ clientId, refreshKey }: { clientId: string; refreshKey: number }) {
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

type Props = {
  clientId: string
  isOwn: boolean
  query: Query // The query of the list of clients, for the links.
  refreshKey: number
  close: () => void
  changed: () => void
}

// The drawer in which an operator sees and manages a client. `isOwn`: it is the operator’s own client, which
// cannot be suspended.
export function ClientDrawer({ clientId, isOwn, query, refreshKey, close, changed }: Props) {
  const params = { clientId }
  return (
    <Detail
      title={strings.one}
      path={CLIENT}
      params={params}
      refreshKey={refreshKey}
      close={close}
      show={(client) => (
        <>
          <ClientFacts client={client} />
          {!client.isOperator && <NextSteps clientId={clientId} refreshKey={refreshKey} />}
          <ClientActions client={client} isOwn={isOwn} query={query} changed={changed} />
          <h3>{strings.secrets}</h3>
          <ClientSecrets
            secrets={client.secrets}
            rotate={(body, headers) =>
              send('POST', `${CLIENT}/rotate-secret`, { params, body, headers })
            }
            changed={changed}
          />
          <TaxSettings clientId={clientId} />
          <h3>{strings.usage}</h3>
          <ClientUsage clientId={clientId} />
        </>
      )}
    />
  )
}

function ClientFacts({ client }: { client: ClientDetail }) {
  const { name, clientId, isOperator, scopes, merchantCodes, allowedAddresses } = client
  const { suspendedAt, suspensionReason } = client
  return (
    <>
      <TextHeadline text={name} badge={<ClientBadge client={client} />} />
      {factList([
        [strings.id, <Copyable key="id" text={clientId} />],
        [strings.operator, isOperator && strings.yes],
        [strings.scopes, scopes.join(', ')],
        [strings.merchantCodes, merchantCodes?.join(', ') ?? strings.allMerchants],
        [strings.allowedAddresses, allowedAddresses?.join(', ') ?? strings.anyAddress],
        [strings.suspendedAt, suspendedAt && <Time key="suspended" at={suspendedAt} />],
        [strings.suspensionReason, suspensionReason],
        [strings.accountName, client.accountName !== name && client.accountName],
        [strings.pendingAccountName, client.pendingAccountName],
        [strings.created, <Time key="created" at={client.createdAt} />],
      ])}
    </>
  )
}

type ClientActionsProps = {
  client: ClientDetail
  isOwn: boolean
  query: Query
  changed: () => void
}

// The actions on a client: suspend or resume it, decide on its new account name, edit it, see its users.
function ClientActions({ client, isOwn, query, changed }: ClientActionsProps) {
  const { isActive, pendingAccountName } = client
  const users = hrefOf('clients', undefined, { ...query, usersOf: client.clientId })
  return (
    <div class="actions">
      <SwitchAction {...{ client, changed }} verb="resume" isOffered={!isOwn && !isActive} />
      {pendingAccountName && (
        <>
          <NameAction {...{ client, changed }} name={pendingAccountName} decision="approve" />
          <NameAction {...{ client, changed }} name={pendingAccountName} decision="reject" />
        </>
      )}
      <OpenButton label={strings.edit}>
        {(close) => (
          <ClientForm
            client={client}
            close={close}
            onDone={() => {
              close()
              toast(appStrings.saved)
              changed()
            }}
          />
        )}
      </OpenButton>
      <Link class="button" href={users}>
        {strings.users}
      </Link>
      <SwitchAction {...{ client, changed }} verb="suspend" isOffered={!isOwn && isActive} />
    </div>
  )
}

type ActionProps = Pick<ClientActionsProps, 'client' | 'changed'>

function SwitchAction(props: ActionProps & { verb: 'suspend' | 'resume'; isOffered: boolean }) {
  const { client, verb, isOffered, changed } = props
  const { clientId, name } = client
  const isSuspension = verb === 'suspend'
  return (
    <Action
      title={strings[`${verb}Title`](name)}
      action={strings[verb]}
      style={isSuspension ? 'danger-text' : 'primary'}
      isOffered={isOffered}
      isDangerous={isSuspension}
      text={strings[`${verb}Text`]}
      run={(form, headers) => {
        const reason = form.text('reason')
        const body = reason ? { reason } : {}
        return send('POST', `${CLIENT}/${verb}`, { params: { clientId }, body, headers })
      }}
      message={strings[`${verb}Done`]}
      onDone={changed}
    >
      <ReasonField
        label={strings.reason}
        hint={isSuspension ? strings.reasonHint : strings.optionalReasonHint}
        rows={2}
        required={isSuspension}
      />
    </Action>
  )
}

// Approves or rejects the name that the client wants to have in its account names.
function NameAction(props: ActionProps & { name: string; decision: 'approve' | 'reject' }) {
  const { client, name: accountName, decision, changed } = props
  const { clientId } = client
  const isRejection = decision === 'reject'
  return (
    <Action
      title={strings[`${decision}NameTitle`](accountName)}
      action={strings[`${decision}Name`]}
      style={isRejection ? '' : 'primary'}
      isDangerous={isRejection}
      text={strings[`${decision}NameText`]}
      run={(form, headers) => {
        const reason = form.text('reason')
        const body = { accountName, ...(reason ? { reason } : {}) }
        const path = `${CLIENT}/account-name/${decision}` as const
        return send('POST', path, { params: { clientId }, body, headers })
      }}
      message={strings[`${decision}NameDone`]}
      onDone={changed}
    >
      <ReasonField
        label={strings.reason}
        hint={strings.optionalReasonHint}
        rows={2}
        required={false}
      />
    </Action>
  )
}

const USE = `${CLIENT}/use` as const
const OTHER_COUNTS = ['payments', 'advices', 'accounts', 'webhooks'] as const

// The gross sum and the number of credits of a client today, for the list of clients.
export function UsageToday({ clientId }: { clientId: string }) {
  const { data, problem } = useData(USE, { clientId }, { days: '1' })
  const today = data?.days.at(-1)
  if (!today) return <>{problem && appStrings.nothing}</>
  return (
    <>
      {today.credits > 0 && (
        <span class="muted small">{`${strings.used.credits(today.credits)} · `}</span>
      )}
      <Money amount={today.gross} />
    </>
  )
}

// The client’s usage by day, the latest day first.
function ClientUsage({ clientId }: { clientId: string }) {
  const { data, problem, reload } = useData(USE, { clientId })
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="rows" lines={7} />
  return (
    <ul class="attempts">
      {data.days.toReversed().map((usage) => (
        <UsageDay key={usage.from} usage={usage} />
      ))}
    </ul>
  )
}

// One day of the client: what it used, and the credits with their gross sum.
function UsageDay({ usage }: { usage: Schemas['ClientUsageDay'] }) {
  const otherCounts = OTHER_COUNTS.filter((name) => usage[name] > 0).map((name) =>
    strings.used[name](usage[name]),
  )
  const isIdle = otherCounts.length === 0 && usage.credits === 0
  return (
    <li>
      <div class="session">
        <p>{day(usage.from)}</p>
        <p class="muted small">{isIdle ? strings.noUsage : otherCounts.join(' · ')}</p>
      </div>
      {usage.credits > 0 && (
        <div>
          <Money amount={usage.gross} />
          <p class="muted small">{strings.used.credits(usage.credits)}</p>
        </div>
      )}
    </li>
  )
}
