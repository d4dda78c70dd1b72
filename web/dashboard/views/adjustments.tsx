// Adjustments: recovering or writing off debts of clients and banks, under maker-checker.

import { adjustmentsStrings as strings, suspenseStrings } from '../../copy.ts'
import { type Schemas, send } from '../api.ts'
import { money } from '../format.ts'
import { Action, DecideRequest } from '../parts/action.tsx'
import { Link, Tabs } from '../parts/controls.tsx'
import { factList } from '../parts/drawer.tsx'
import { type Filter, humanized } from '../parts/filters.tsx'
import { InputField, ReasonField } from '../parts/forms.tsx'
import { ListView } from '../parts/list-view.tsx'
import { amountColumn, type Column } from '../parts/table.tsx'
import { Badge, BankName, Copyable, Headline, Money, Time, useBankNames } from '../parts/values.tsx'
import { goTo, hrefOf } from '../routing.ts'
import { mayAccount, type Session, type ViewProps } from '../session.ts'

const TABS = ['requests', 'receivable', 'shortfall'] as const

// The tabs: the requests, the debts of clients (`receivable`) and the debts of banks (`shortfall`).
export default function Adjustments(props: ViewProps) {
  const current = TABS.find((tab) => tab === props.place.query.tab) ?? 'requests'
  return (
    <>
      <Tabs label={strings.parts} view="adjustments" names={strings.tabs} current={current} />
      {current === 'requests' ? (
        <AdjustmentRequests {...props} />
      ) : (
        <Debts key={current} kind={current} {...props} />
      )}
    </>
  )
}

type Adjustment = Schemas['Adjustment']

const ADJUSTMENTS = '/api/v1/operator/adjustments'
const STATES = ['open', 'approved', 'rejected', 'withdrawn']
const { person } = suspenseStrings

const FILTERS: readonly Filter[] = [
  { name: 'state', label: strings.state, choices: humanized(STATES) },
]

const REQUEST_COLUMNS: readonly Column<Adjustment>[] = [
  { name: strings.debtor, place: 'lead', show: (item) => <Debtor {...item} /> },
  amountColumn(strings.amount),
  { name: strings.state, place: 'state', show: ({ state }) => <Badge state={state} /> },
  { name: strings.kind, place: 'second', show: ({ kind }) => strings.kinds[kind] },
  { name: strings.requestedBy, show: ({ requestedBy }) => person(requestedBy) },
  { name: strings.requested, place: 'time', show: ({ requestedAt }) => <Time at={requestedAt} /> },
]

function AdjustmentRequests(props: ViewProps) {
  return (
    <ListView
      {...props}
      view="adjustments"
      icon="ledger"
      path={ADJUSTMENTS}
      file={ADJUSTMENTS}
      caption={strings.tabs.requests}
      columns={REQUEST_COLUMNS}
      filters={FILTERS}
      keyOf={({ reference }) => reference}
      isPolled
      emptyState={{ title: strings.none, text: strings.noneText }}
      drawer={{
        title: strings.one,
        path: `${ADJUSTMENTS}/{reference}`,
        show: (item, { changed }) => (
          <>
            <AdjustmentFacts item={item} />
            {item.state === 'open' && (
              <DecideAdjustment item={item} session={props.session} onDone={changed} />
            )}
          </>
        ),
      }}
    />
  )
}

function AdjustmentFacts({ item }: { item: Adjustment }) {
  return (
    <>
      <Headline sum={item} state={item.state} about={strings.kinds[item.kind] ?? item.kind} />
      {factList([
        [strings.of[item.of] ?? item.of, <Debtor key="debtor" {...item} />],
        [strings.document, item.document],
        [strings.reason, item.reason],
        [strings.reference, <Copyable key="reference" text={item.reference} />],
        [strings.requested, <Time key="requested" at={item.requestedAt} />],
        [strings.requestedBy, person(item.requestedBy)],
        [strings.decided, item.decidedAt && <Time at={item.decidedAt} />],
        [strings.decidedBy, item.decidedBy && person(item.decidedBy)],
        [strings.decisionReason, item.decisionReason],
      ])}
    </>
  )
}

const ONE = `${ADJUSTMENTS}/{reference}`

type Props = { session: Session; item: Schemas['Adjustment']; onDone: () => void }

// The buttons that decide on an adjustment, here and on Today.
export function DecideAdjustment({ session, item, onDone }: Props) {
  const { reference } = item
  return (
    <DecideRequest
      {...{ session, onDone }}
      request={item}
      amount={money(item.amount, item.currency)}
      words={strings}
      decide={(verb, sent) => send('POST', `${ONE}/${verb}`, { params: { reference }, ...sent })}
    />
  )
}

type Account = Schemas['LedgerAccount']

const ACCOUNTS = '/api/v1/ledger/accounts'

export function Debtor({ clientId, bankCode }: Pick<Account, 'clientId' | 'bankCode'>) {
  return bankCode ? <BankName code={bankCode} /> : clientId
}

const COLUMNS: readonly Column<Account>[] = [
  { name: strings.debtor, place: 'lead', show: (account) => <Debtor {...account} /> },
  amountColumn(strings.owed, 'balance'),
  { name: strings.since, place: 'time', show: ({ openedAt }) => <Time at={openedAt} /> },
]

// The debts of clients or of banks, each a ledger account, with the adjustments that can be requested.
function Debts({ kind, ...props }: ViewProps & { kind: DebtKind }) {
  return (
    <ListView
      {...props}
      view="adjustments"
      icon="ledger"
      path={ACCOUNTS}
      extraQuery={{ kind }}
      caption={strings.tabs[kind]}
      columns={COLUMNS}
      keyOf={({ id }) => `${id}`}
      isPolled
      emptyState={{ title: strings.noDebts, text: strings.noDebtsText }}
      drawer={{
        title: strings[kind],
        path: `${ACCOUNTS}/{id}`,
        show: (account, { changed }) => (
          <>
            <div class="headline">
              <Money amount={account.balance} currency={account.currency} />
            </div>
            {factList([
              [strings.debtor, <Debtor key="debtor" {...account} />],
              [strings.since, <Time key="since" at={account.openedAt} />],
            ])}
            <p class="after-facts">
              <Link href={hrefOf('ledger', `${account.id}`)}>{strings.ledger}</Link>
            </p>
            {account.balance > 0 && mayAccount(props.session) && (
              <AdjustmentButtons account={account} kind={kind} onDone={changed} />
            )}
          </>
        ),
      }}
    />
  )
}

type DebtKind = 'receivable' | 'shortfall'

type DebtProps = { account: Schemas['LedgerAccount']; kind: DebtKind; onDone: () => void }

const CLIENT_DEBT_KINDS = [
  'recovery',
  'reserve_use',
  'provision',
  'provision_release',
  'write_off',
] as const
const BANK_DEBT_KINDS = ['recovery', 'write_off'] as const
type Verb = (typeof CLIENT_DEBT_KINDS)[number]

// The adjustments that fit the debt: clients’ debts and banks’ debts have different kinds.
function AdjustmentButtons(props: DebtProps) {
  const verbs = props.kind === 'receivable' ? CLIENT_DEBT_KINDS : BANK_DEBT_KINDS
  return (
    <div class="buttons">
      {verbs.map((verb) => (
        <RequestAdjustment key={verb} {...props} verb={verb} />
      ))}
    </div>
  )
}

// Requests one kind of adjustment, for the whole debt unless the user enters less.
function RequestAdjustment({ account, kind, verb, onDone }: DebtProps & { verb: Verb }) {
  const { clientId, bankCode, balance } = account
  const nameBank = useBankNames()
  const debtor = bankCode ? nameBank(bankCode) : (clientId ?? '')
  return (
    <Action
      label={strings.asks[verb]}
      title={strings.askTitles[verb](debtor)}
      action={strings.request}
      text={verb === 'recovery' ? strings.recoverText[kind] : strings.askTexts[verb]}
      run={(form, headers) => {
        const body = {
          kind: verb,
          of: kind,
          ...(kind === 'shortfall' ? { bankCode: bankCode ?? '' } : { clientId: clientId ?? '' }),
          amount: form.amount('amount'),
          reason: form.text('reason'),
        }
        return send('POST', '/api/v1/operator/adjustments', { body, headers })
      }}
      message={({ reference }) => strings.asked(reference)}
      onDone={({ reference }) => {
        onDone()
        goTo(hrefOf('adjustments', reference))
      }}
    >
      <InputField
        label={strings.amount}
        name="amount"
        required
        inputMode="decimal"
        defaultValue={`${balance}`}
      />
      <ReasonField label={strings.reason} hint={strings.reasonHint} />
    </Action>
  )
}
