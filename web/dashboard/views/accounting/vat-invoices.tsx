// VAT invoices and credit notes: those of all clients for the operator, or the client's own. Each can be
// printed.

import { accountingStrings as strings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { today } from '../../format.ts'
import { Action } from '../../parts/action.tsx'
import { factList } from '../../parts/drawer.tsx'
import { type Filter, humanized } from '../../parts/filters.tsx'
import { InputField, ReasonField } from '../../parts/forms.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { amountColumn, type Column, fieldColumn } from '../../parts/table.tsx'
import { Headline, Money, moneyIfAny, Time } from '../../parts/values.tsx'
import { goTo, hrefOf } from '../../routing.ts'
import { mayAccount, type ViewProps } from '../../session.ts'

type Invoice = Schemas['VatInvoice']

const ALL = '/api/v1/operator/vat-invoices'
const OWN = '/api/v1/vat-invoices'
const ADJUSTMENTS = '/api/v1/operator/adjustments'
const DOCUMENT_MAX = 64

const kindColumn: Column<Invoice> = {
  name: strings.kind,
  place: 'second',
  show: ({ kind }) => strings.vatKinds[kind],
  fields: ['kind'],
}

const COLUMNS: readonly Column<Invoice>[] = [
  fieldColumn(strings.number, 'number', 'lead', (number) => <code>{number}</code>),
  amountColumn(strings.total, 'total'),
  kindColumn,
  { name: strings.month, place: 'state', show: ({ month }) => month, fields: ['month'] },
  {
    name: strings.vatAmount,
    isAmount: true,
    show: (row) => <Money amount={row.vat} />,
    fields: ['vat'],
  },
  fieldColumn(strings.issued, 'issuedAt', 'time', (issuedAt) => <Time at={issuedAt} />),
]

const FILTERS: readonly Filter[] = [
  { name: 'kind', label: strings.kind, choices: humanized(['invoice', 'credit_note']) },
]

const listProps = {
  icon: 'accounting',
  caption: strings.tabs.vatInvoices,
  filters: FILTERS,
  keyOf: ({ number }: Invoice) => number,
  isPolled: true,
  emptyState: { title: strings.noInvoices, text: strings.noInvoicesText },
} as const

// The VAT invoices of all clients. Accountants can issue invoices and book withholding tax.
export function ClientVatInvoices(props: ViewProps) {
  const isAllowed = mayAccount(props.session)
  return (
    <ListView
      {...props}
      {...listProps}
      view="accounting"
      path={ALL}
      file={ALL}
      columns={[
        ...COLUMNS,
        { name: strings.client, show: ({ clientId }) => clientId, fields: ['clientId'] },
      ]}
      add={(changed) => isAllowed && <IssueInvoices onDone={changed} />}
      drawer={{
        title: strings.invoice,
        path: `${ALL}/{number}`,
        show: (invoice) => (
          <>
            <InvoiceFacts invoice={invoice} page={`${ALL}/${invoice.number}.html`} />
            {isAllowed && invoice.withholdingTax > 0 && <Withholding invoice={invoice} />}
          </>
        ),
      }}
    />
  )
}

export function OwnVatInvoices(props: ViewProps) {
  return (
    <ListView
      {...props}
      {...listProps}
      view="settlements"
      path={OWN}
      file={OWN}
      columns={COLUMNS}
      drawer={{
        title: strings.invoice,
        path: `${OWN}/{number}`,
        show: (invoice) => (
          <InvoiceFacts invoice={invoice} page={`${OWN}/${invoice.number}.html`} />
        ),
      }}
    />
  )
}

// Issues the documents of a month: invoices, and credit notes.
function IssueInvoices({ onDone }: { onDone: () => void }) {
  return (
    <Action
      title={strings.issueTitle}
      action={strings.issue}
      style="primary"
      text={strings.issueText}
      run={(form, headers) => send('POST', ALL, { body: { month: form.text('month') }, headers })}
      message={({ invoices, creditNotes }) => strings.issuedCount(invoices, creditNotes)}
      onDone={onDone}
    >
      <InputField
        label={strings.month}
        name="month"
        type="month"
        required
        max={today().slice(0, 7)}
      />
    </Action>
  )
}

// The details of an invoice or credit note. `page` is the address of its version for printing.
function InvoiceFacts({ invoice, page }: { invoice: Invoice; page: string }) {
  const { number, kind, currency, seller, buyer } = invoice
  const partyText = ({ name, tin }: Schemas['VatInvoiceParty']) =>
    `${name} · ${tin ?? strings.noTin}`
  return (
    <>
      <Headline
        sum={{ amount: invoice.total, currency }}
        badge={null}
        about={strings.vatKinds[kind] ?? kind}
      />
      {factList([
        [strings.number, <code key="number">{number}</code>],
        [strings.month, invoice.month],
        [strings.client, invoice.clientId],
        [strings.feesWithoutVat, <Money key="fees" amount={invoice.fees} />],
        [strings.vatAmount, <Money key="vat" amount={invoice.vat} />],
        [strings.withholdingTax, moneyIfAny(invoice.withholdingTax)],
        [strings.whtOpen, invoice.withholdingTax > 0 && <Money amount={invoice.withholdingOpen} />],
        [strings.seller, partyText(seller)],
        [strings.buyer, partyText(buyer)],
        [strings.issued, <Time key="issued" at={invoice.issuedAt} />],
      ])}
      <div class="buttons after-facts">
        <a class="button" href={page} target="_blank" rel="noreferrer">
          {strings.print}
        </a>
      </div>
    </>
  )
}

// The buttons for the withholding tax that the client deducted from this document.
function Withholding({ invoice }: { invoice: Invoice }) {
  const { kind, withholdingTax, withholdingOpen } = invoice
  const isInvoice = kind === 'invoice'
  const isOpen = withholdingOpen > 0
  const isBooked = withholdingOpen < withholdingTax
  // The adjustments that are possible now, by the document's kind and by how much of its withholding tax is
  // open or booked.
  const verbs: readonly WithholdingProps['kind'][] = [
    ...(isInvoice && isOpen ? (['withholding'] as const) : []),
    ...(isInvoice ? (['wht_credit_note'] as const) : []),
    ...(isOpen ? (['not_withheld'] as const) : []),
    // An invoice's withholding can be reversed once it is booked, a credit note's only before it is booked.
    ...(isInvoice === isBooked ? (['withholding_reversal'] as const) : []),
    ...(isInvoice && isBooked ? (['wht_credit_note_reversal', 'wht_write_off'] as const) : []),
  ]
  return (
    <div class="buttons">
      {verbs.map((verb) => (
        <WithholdingAction key={verb} {...{ invoice }} kind={verb} />
      ))}
    </div>
  )
}

type WithholdingProps = { invoice: Invoice; kind: keyof typeof strings.withholdings }

const USES_OPEN_AMOUNT: readonly string[] = ['withholding', 'not_withheld']

// Requests an adjustment for withholding tax. Another user approves it in Adjustments.
function WithholdingAction({ invoice, kind }: WithholdingProps) {
  const isNote = kind.startsWith('wht_credit_note')
  const amount = USES_OPEN_AMOUNT.includes(kind) ? invoice.withholdingOpen : invoice.withholdingTax
  const words = strings.withholdings[kind]
  return (
    <Action
      label={words.label}
      title={words.title}
      action={strings.requestApproval}
      text={words.text}
      run={(form, headers) => {
        const body = {
          ...{ kind, of: 'withholding' as const, clientId: invoice.clientId },
          amount: form.amount('amount'),
          document: isNote ? form.text('document') : invoice.number,
          reason: form.text('reason'),
        }
        return send('POST', ADJUSTMENTS, { body, headers })
      }}
      message={strings.requested}
      onDone={({ reference }) => goTo(hrefOf('adjustments', reference))}
    >
      <InputField
        label={strings.amount}
        name="amount"
        required
        inputMode="decimal"
        defaultValue={`${amount}`}
      />
      {isNote && (
        <InputField label={strings.noteNumber} name="document" required maxLength={DOCUMENT_MAX} />
      )}
      <ReasonField label={strings.reason} hint={strings.approverHint} />
    </Action>
  )
}
