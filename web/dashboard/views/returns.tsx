// Returns: what is to be sent back to payers, for the operator who executes it at the banks.

import { useState } from 'preact/hooks'
import { getData, problemFrom } from '../api.ts'
import { words } from '../format.ts'
import { Detail } from '../parts/detail.tsx'
import { Facts } from '../parts/drawer.tsx'
import type { Filter } from '../parts/filters.tsx'
import { ListView } from '../parts/list-view.tsx'
import { type Return, SettleReturn } from '../parts/settle-return.tsx'
import type { Column } from '../parts/table.tsx'
import { toast } from '../parts/toasts.tsx'
import { Badge, Copyable, Money, Time } from '../parts/values.tsx'
import { follow, hrefOf } from '../routing.ts'
import { STRINGS } from '../strings.ts'
import type { ViewProps } from '../views.ts'

const { returns: said } = STRINGS
const PATH = '/api/v1/operator/returns'
const STATUSES = ['pending', 'confirmed', 'failed']

const FILTERS: readonly Filter[] = [
  {
    name: 'status',
    label: said.status,
    choices: STATUSES.map((value) => ({ value, label: words(value) })),
  },
  { name: 'bankCode', label: said.bank, placeholder: said.bankDigits },
  { name: 'from', label: STRINGS.filters.from, type: 'date' },
  { name: 'to', label: STRINGS.filters.to, type: 'date' },
]

const COLUMNS: readonly Column<Return>[] = [
  { name: said.payer, place: 'lead', show: ({ payerName }) => payerName ?? said.unnamed },
  {
    name: said.amount,
    place: 'amount',
    isAmount: true,
    show: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  { name: said.status, place: 'state', show: ({ status }) => <Badge state={status} /> },
  {
    name: said.payerNumber,
    show: ({ payerAccountNumberMasked: masked, payerBankCode }) => (
      <>
        <code>{masked}</code> <span class="muted">{payerBankCode}</span>
      </>
    ),
  },
  { name: said.reference, place: 'second', show: ({ reference }) => <code>{reference}</code> },
  { name: said.bank, show: ({ bankCode }) => bankCode },
  { name: said.requested, place: 'time', show: ({ requestedAt }) => <Time at={requestedAt} /> },
]

export default function Returns(props: ViewProps) {
  const mayExecute = props.session.scopes.includes('returns:write')
  return (
    <ListView
      {...props}
      view="returns"
      icon="reversal"
      path={PATH}
      params={{}}
      caption={STRINGS.views.returns}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ reference }) => reference}
      isAbout={/^credit\.return/}
      none={{ title: said.none, text: said.noneText }}
      detail={({ open, version, close, changed }) => (
        <Detail
          key={open}
          title={said.one}
          path={`${PATH}/{reference}`}
          params={{ reference: open }}
          version={version}
          close={close}
          show={(item) => (
            <>
              <About item={item} mayExecute={mayExecute} />
              {mayExecute && item.status === 'pending' && (
                <SettleReturn item={item} done={changed} />
              )}
            </>
          )}
        />
      )}
    />
  )
}

function About({ item, mayExecute }: { item: Return; mayExecute: boolean }) {
  return (
    <>
      <div class="headline">
        <Money amount={item.amount} currency={item.currency} />
        <Badge state={item.status} />
      </div>
      <p class="muted">{said.to(item.payerName ?? said.unnamed)}</p>
      <Facts
        facts={[
          [said.failure, item.failureReason],
          [said.reference, <Copyable key="reference" text={item.reference} />],
          [said.payerNumber, <PayerNumber key="number" item={item} mayShow={mayExecute} />],
          [said.payerBank, item.payerBankCode],
          [said.sessionId, <Copyable key="session" text={item.sessionId} />],
          [said.bank, item.bankCode],
          [said.narration, item.narration],
          [said.client, item.clientId ?? said.nobody],
          [said.bankReference, item.bankReference && <Copyable text={item.bankReference} />],
          [said.requested, <Time key="requested" at={item.requestedAt} />],
          [said.requestedBy, item.requestedBy],
          [said.settled, item.settledAt && <Time at={item.settledAt} />],
          [said.settledBy, item.settledBy],
        ]}
      />
      {item.clientId === null && (
        <p class="after-facts">
          <a href={hrefOf('credits', `${item.creditId}`)} onClick={follow}>
            {said.credit}
          </a>
        </p>
      )}
    </>
  )
}

// Masked until it is asked for: who sees a number in full stands in the audit log.
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
      toast(said.shown)
    } catch (error) {
      toast(problemFrom(error).message, 'bad')
    }
    setBusy(false)
  }
  if (number !== null) return <Copyable text={number} />
  return (
    <>
      <code>{item.payerAccountNumberMasked ?? STRINGS.nothing}</code>{' '}
      {mayShow && item.payerAccountNumberMasked !== null && (
        <button type="button" class="button quiet" disabled={isBusy} onClick={show}>
          {said.show}
        </button>
      )}
    </>
  )
}
