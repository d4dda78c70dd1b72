// Returns of money to payers. The operator executes by hand the returns that neither a connector nor a payout
// file sends.

import { useState } from 'preact/hooks'
import { codeOf } from '../../../src/short-codes.ts'
import { appStrings, returnsStrings as strings } from '../../copy.ts'
import { getData, problemFrom, type Schemas, send } from '../api.ts'
import { humanize, money } from '../format.ts'
import { Action } from '../parts/action.tsx'
import { Button, Link } from '../parts/controls.tsx'
import { factList } from '../parts/drawer.tsx'
import { DATES, type Filter, humanized } from '../parts/filters.tsx'
import { InputField, ReasonField } from '../parts/forms.tsx'
import { ListView } from '../parts/list-view.tsx'
import { amountColumn, type Column, fieldColumn } from '../parts/table.tsx'
import { toast } from '../parts/toasts.tsx'
import { Badge, BankName, Copyable, Headline, Reference, Time } from '../parts/values.tsx'
import { hrefOf } from '../routing.ts'
import type { Session, ViewProps } from '../session.ts'

const PATH = '/api/v1/operator/returns'
const STATUSES = ['pending', 'confirmed', 'failed']

const FILTERS: readonly Filter[] = [
  { name: 'status', label: strings.status, choices: humanized(STATUSES) },
  { name: 'bankCode', label: strings.bank, placeholder: strings.bankDigits },
  ...DATES,
]

const COLUMNS: readonly Column<Return>[] = [
  { name: strings.payer, place: 'lead', show: ({ payerName }) => payerName ?? strings.unnamed },
  amountColumn(strings.amount),
  { name: strings.status, place: 'state', show: ({ status }) => <Badge state={status} /> },
  {
    name: strings.payerNumber,
    show: ({ payerAccountNumberMasked: masked, payerBankCode }) => (
      <>
        <code>{masked}</code> <span class="muted">{payerBankCode}</span>
      </>
    ),
  },
  fieldColumn(strings.reference, 'reference', 'second', (value) => <code>{codeOf(value)}</code>),
  { name: strings.bank, show: ({ bankCode }) => <BankName code={bankCode} /> },
  { name: strings.sentBy, show: (item) => <SentBy item={item} /> },
  { name: strings.requested, place: 'time', show: ({ requestedAt }) => <Time at={requestedAt} /> },
]

export default function Returns(props: ViewProps) {
  const mayExecute = props.session.scopes.includes('returns:write')
  return (
    <ListView
      {...props}
      view="returns"
      icon="reversal"
      path={PATH}
      caption={appStrings.views.returns}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ reference }) => reference}
      isAbout={/^credit\.return/}
      isPolled
      emptyState={{ title: strings.none, text: strings.noneText }}
      drawer={{
        title: strings.one,
        path: `${PATH}/{reference}`,
        show: (item, { changed }) => (
          <>
            <Headline sum={item} state={item.status} about={strings.to(item.payerName)} />
            <ReturnNotice item={item} session={props.session} />
            {mayExecute && (isByHand(item) || isReversed(item)) && (
              <ReturnActions item={item} mayConfirm={isByHand(item)} onDone={changed} />
            )}
            <ReturnFacts item={item} mayExecute={mayExecute} />
          </>
        ),
      }}
    />
  )
}

const isByHand = ({ sentBy }: Return) => sentBy === 'operator'
const isReversed = ({ blockedBy }: Return) => blockedBy === 'return_credit_reversed'

// Names the sender: an operator by hand, a connector or a file, with the state of the payout.
function SentBy({ item: { sentBy, payoutStatus } }: { item: Return }) {
  if (sentBy === null) return appStrings.nothing
  const isSent = payoutStatus === 'sending' || payoutStatus === 'unknown'
  return (
    <>
      {strings.senders[sentBy] ?? sentBy} {isSent && <Badge state={payoutStatus} />}
    </>
  )
}

// Says why nobody should send this return by hand now.
function ReturnNotice({ item, session }: { item: Return; session: Session }) {
  const { reference, sentBy, payoutStatus, blockedBy } = item
  if (blockedBy) {
    return <p class="notice held">{strings.blocked[blockedBy] ?? humanize(blockedBy)}</p>
  }
  if (sentBy === null || isByHand(item)) return null
  const text = payoutStatus === 'unknown' ? strings.unknown : strings.notByHand[sentBy]
  return (
    <>
      <p class="notice held">{text}</p>
      {session.scopes.includes('accounting:read') && (
        <p class="after-facts">
          <Link href={hrefOf('payouts', reference, { tab: 'all' })}>{strings.payout}</Link>
        </p>
      )}
    </>
  )
}

function ReturnFacts({ item, mayExecute }: { item: Return; mayExecute: boolean }) {
  return (
    <>
      {factList([
        [strings.failure, item.failureReason],
        [
          strings.payerNumber,
          <PayerNumber key="number" item={item} mayShow={mayExecute && mayRevealNumber(item)} />,
        ],
        [strings.payerBank, item.payerBankCode && <BankName code={item.payerBankCode} />],
        [strings.sessionId, <Copyable key="session" text={item.sessionId} />],
        [strings.bankReference, item.bankReference && <Copyable text={item.bankReference} />],
        [strings.settled, item.settledAt && <Time at={item.settledAt} />],
        [strings.reference, <Reference key="reference" text={item.reference} />],
        [strings.bank, <BankName key="bank" code={item.bankCode} />],
        [strings.sentBy, item.sentBy && <SentBy item={item} />],
        [strings.narration, item.narration],
        [strings.client, item.clientId ?? strings.nobody],
        [strings.requested, <Time key="requested" at={item.requestedAt} />],
        [strings.requestedBy, item.requestedBy],
        [strings.settledBy, item.settledBy],
      ])}
      {item.clientId === null && (
        <p class="after-facts">
          <Link href={hrefOf('credits', `${item.creditId}`)}>{strings.credit}</Link>
        </p>
      )}
    </>
  )
}

// The full number is needed only to pay by hand, so the service reveals it only for returns that the
// operator may send by hand, and for ended ones.
const mayRevealNumber = (item: Return) =>
  item.sentBy === null || (isByHand(item) && !item.blockedBy)

// The account number is masked until the user reveals it, which the audit log records.
function PayerNumber({ item, mayShow }: { item: Return; mayShow: boolean }) {
  const [number, setNumber] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const show = async () => {
    setBusy(true)
    try {
      const { reference } = item
      const query = { reveal: 'true' }
      const full = await getData(`${PATH}/{reference}`, { reference }, { query })
      setNumber(full.payerAccountNumber)
      toast(strings.shown)
    } catch (error) {
      toast(problemFrom(error).message, 'bad')
    }
    setBusy(false)
  }
  if (number !== null) return <Copyable text={number} />
  return (
    <>
      <code>{item.payerAccountNumberMasked ?? appStrings.nothing}</code>{' '}
      {mayShow && item.payerAccountNumberMasked !== null && (
        <Button style="quiet" disabled={isBusy} onClick={show}>
          {strings.show}
        </Button>
      )}
    </>
  )
}

type Return = Schemas['Return']

const ONE = `${PATH}/{reference}`

// Records the result of the return. If the credit was reversed meanwhile, the return can only be marked as
// failed.
function ReturnActions(props: { item: Return; mayConfirm: boolean; onDone: () => void }) {
  const { item, mayConfirm, onDone } = props
  const { reference } = item
  const params = { reference }
  const amount = money(item.amount, item.currency)
  return (
    <div class="buttons">
      <Action
        title={strings.confirmTitle(amount, item.payerName)}
        action={strings.confirm}
        style="primary"
        isOffered={mayConfirm}
        text={strings.confirmText}
        run={(form, headers) => {
          const bankReference = form.text('bankReference')
          const body = bankReference === '' ? {} : { bankReference }
          return send('POST', `${ONE}/confirm`, { params, body, headers })
        }}
        message={strings.confirmed(reference)}
        onDone={onDone}
      >
        <InputField
          label={strings.bankReference}
          hint={strings.bankReferenceHint}
          name="bankReference"
          maxLength={100}
        />
      </Action>
      <Action
        title={strings.failTitle(amount, item.payerName)}
        action={strings.fail}
        isDangerous
        text={strings.failText}
        run={(form, headers) => {
          const body = { reason: form.text('reason') }
          return send('POST', `${ONE}/fail`, { params, body, headers })
        }}
        message={strings.failed(reference)}
        onDone={onDone}
      >
        <ReasonField label={strings.reason} hint={strings.reasonHint} />
      </Action>
    </div>
  )
}
