// The drawer of a client: scopes, usage, secrets and actions.

import { appStrings, clientsStrings as strings } from '../../../copy.ts'
import { type Query, type Schemas, send } from '../../api.ts'
import { day } from '../../format.ts'
import { useData } from '../../loading.ts'
import { Action, OpenButton } from '../../parts/action.tsx'
import { Detail, Facts } from '../../parts/drawer.tsx'
import { ReasonField } from '../../parts/forms.tsx'
import { Link } from '../../parts/link.tsx'
import { Pending } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Copyable, Money, TextHeadline, Time } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import { ClientSecrets } from '../developers/client-secrets.tsx'
import { CLIENT, ClientBadge, type ClientDetail, ClientForm } from './client-form.tsx'
import { NextSteps } from './next-steps.tsx'
import { TaxSettings } from './tax-settings.tsx'

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
      <Facts
        facts={[
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
        ]}
      />
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

function SwitchAction({
  client: { clientId, name },
  verb,
  isOffered,
  changed,
}: ActionProps & { verb: 'suspend' | 'resume'; isOffered: boolean }) {
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
function NameAction({
  client: { clientId },
  name: accountName,
  decision,
  changed,
}: ActionProps & { name: string; decision: 'approve' | 'reject' }) {
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
