// The accounting reports: balances, suspense by age, trial balance and VAT. Also what they share with the
// journal: the day or month in the URL, the export and print links, and the loading, empty and error
// displays.

import type { ComponentChildren } from 'preact'
import {
  appStrings,
  reconciliationStrings,
  accountingStrings as strings,
  suspenseStrings,
} from '../../../copy.ts'
import { type Data, type GetPath, type Params, type Query, send, withQuery } from '../../api.ts'
import { count, dayAfter, humanize, isDay, money, today } from '../../format.ts'
import { type Loaded, useData } from '../../loading.ts'
import { ActionForm } from '../../parts/action.tsx'
import { Stat } from '../../parts/balances.tsx'
import { ExportLinks } from '../../parts/exports.tsx'
import { InputField } from '../../parts/forms.tsx'
import { Icon, type IconName } from '../../parts/icons.tsx'
import { Empty, Pending } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'
import { toast } from '../../parts/toasts.tsx'
import { BankName, Money } from '../../parts/values.tsx'
import { currentPlace, goTo, hrefOf, type Place } from '../../routing.ts'
import { mayAccount, type ViewProps } from '../../session.ts'

// Returns the day in the URL, or today if it is missing, invalid or in the future.
export function dayFrom({ query }: Place): string {
  return isDay(query.day) && query.day <= today() ? query.day : today()
}

// Returns the end of the day, or undefined for today, because the API then reports the current state.
const endOfDayQuery = (day: string) => (day < today() ? dayAfter(day) : undefined)

// Returns the month in the URL, or the current month if it is missing, invalid or in the future.
export function monthFrom({ query: { month = '' } }: Place): string {
  const latest = today().slice(0, 7)
  return /^\d{4}-(?:0[1-9]|1[0-2])$/.test(month) && month <= latest ? month : latest
}

type ChoiceProps = { label: string; type?: 'date' | 'month'; name: string; value: string }

// The field for the day or month of a report, which is stored in the URL. Future periods cannot be chosen.
export function PeriodChoice({ label, type = 'date', name, value }: ChoiceProps) {
  const latest = type === 'date' ? today() : today().slice(0, 7)
  // Reads the query from the URL now, so that another field’s change is not lost.
  const choose = (chosen: string) => {
    const { query } = currentPlace()
    goTo(hrefOf('accounting', undefined, { ...query, [name]: chosen }), { replace: true })
  }
  return (
    <InputField
      label={label}
      type={type}
      value={value}
      max={latest}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  )
}

// `path` has no extension.
function ReportLinks(props: { path: string; query: Query; isPrinted?: boolean }) {
  const { path, query, isPrinted = true } = props
  return (
    <div class="buttons">
      <ExportLinks {...{ path, query }} />
      {isPrinted && (
        <a class="button" href={withQuery(`${path}.html`, query)} target="_blank" rel="noreferrer">
          {strings.print}
        </a>
      )}
    </div>
  )
}

type ReportProps<Data> = {
  fields: ComponentChildren
  links: ComponentChildren
  loaded: Loaded<Data>
  show: (data: Data) => ComponentChildren
}

// The layout of every report: fields and links on top, and below them the data, once it has loaded.
export function Report<Data>({ fields, links, loaded, show }: ReportProps<Data>) {
  const { data, problem, reload } = loaded
  return (
    <>
      <header class="report-top">
        <div class="report-fields">{fields}</div>
        {links}
      </header>
      <Pending {...{ data, problem, reload }} kind="rows" lines={8} />
      {!problem && data && show(data)}
    </>
  )
}

type DayProps<P extends GetPath> = {
  path: P
  place: Place
  isPrinted?: boolean
  show: (data: Data<P>) => ComponentChildren
}

function DayReport<P extends GetPath>({ path, place, isPrinted = true, show }: DayProps<P>) {
  const day = dayFrom(place)
  const at = endOfDayQuery(day)
  return (
    <Report
      fields={<PeriodChoice label={strings.at} name="day" value={day} />}
      links={<ReportLinks {...{ path, isPrinted }} query={{ at }} />}
      loaded={useData(path, {} as Params<P>, { at })}
      show={show}
    />
  )
}

const SHOWN_MAX = 500

type Props<Row> = {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  totals?: readonly Row[]
  emptyState?: { icon?: IconName; title: string; text: string } // Shown if there are no rows.
}

// The rows of a report, with totals; users can scroll it by keyboard. Only the first 500 rows are shown,
// because 100,000 rows would block a browser for half a minute. The export has all of them.
export function ReportTable<Row>(props: Props<Row>) {
  const { caption, columns, rows, totals = [], emptyState } = props
  if (emptyState && rows.length === 0) return <Empty icon="accounting" {...emptyState} />
  const renderCells = (row: Row) =>
    columns.map(({ name, place, isAmount, show }) => (
      <td key={name} class={styleOf(place, isAmount)} data-name={name}>
        {show(row)}
      </td>
    ))
  const cutNote = rows.length > SHOWN_MAX && strings.cut(count(SHOWN_MAX), count(rows.length))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: It scrolls.
    <section class="listing" aria-label={caption} tabIndex={0}>
      {cutNote && <p class="notice">{cutNote}</p>}
      <table class="list">
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, place, isAmount }) => (
              <th key={name} scope="col" class={styleOf(place, isAmount)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN_MAX).map((row, index) => (
            <tr key={index}>{renderCells(row)}</tr>
          ))}
          {totals.map((row, index) => (
            <tr key={`total ${index}`} class="total">
              {renderCells(row)}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function styleOf(place: string | undefined, isAmount: boolean | undefined): string {
  return `${place ? `at-${place}` : ''}${isAmount ? ' amount' : ''}`
}

type Sums<Name extends string> = { currency: string } & { [Each in Name]: number }

// A column of sums. Zero is shown as an empty cell, as in accounting books.
export function sumColumn<Name extends string>(label: string, field: Name): Column<Sums<Name>> {
  return {
    name: label,
    place: 'line',
    isAmount: true,
    show: (row) => row[field] !== 0 && <Money amount={row[field]} currency={row.currency} />,
  }
}

type Account = { accountName: string; accountCode: string }

export const accountColumns: readonly Column<Account>[] = [
  { name: strings.account, place: 'lead', show: ({ accountName }) => accountName },
  { name: strings.code, place: 'second', show: ({ accountCode }) => <code>{accountCode}</code> },
]

export function ClosedBadge({ isClosed }: { isClosed: boolean }) {
  return (
    <span class={`badge ${isClosed ? 'good' : ''}`}>
      {isClosed && <Icon name="lock" />}
      {isClosed ? strings.closedBadge : strings.openBadge}
    </span>
  )
}

export function bankColumn(): Column<{ bankCode: string | null }> {
  return {
    name: strings.bank,
    place: 'line',
    show: ({ bankCode }) => bankCode && <BankName code={bankCode} />,
  }
}

export function clientColumn(): Column<{ clientId: string | null }> {
  return { name: strings.client, place: 'line', show: ({ clientId }) => clientId }
}

const BALANCES = '/api/v1/operator/balances'

type Balance = Data<typeof BALANCES>['rows'][number]
type Part = keyof typeof strings.balanceParts

const PARTS = Object.keys(strings.balanceParts) as Part[]

const OWNERS: readonly Column<Balance>[] = [
  { ...clientColumn(), place: 'lead', show: ({ clientId }) => clientId ?? strings.noClient },
  { name: strings.merchant, place: 'second', show: ({ merchantCode }) => merchantCode },
  bankColumn(),
]

const TOTAL = { clientId: strings.allClients, merchantCode: null, bankCode: null }

// The owners of the balances, and a column for each kind of balance that any of them has.
function columnsOf(balances: readonly Balance[]): Column<Balance>[] {
  const parts = PARTS.filter((part) => balances.some((balance) => balance[part] !== 0))
  return [...OWNERS, ...parts.map((part) => sumColumn(strings.balanceParts[part], part))]
}

// The balances of all owners at the end of a day, with a column for each kind of balance that occurs.
export function OperatorBalances({ place }: ViewProps) {
  return (
    <DayReport
      {...{ place, path: BALANCES }}
      isPrinted={false}
      show={({ rows, totals, hasMore }) => (
        <>
          <ReportTable
            caption={strings.tabs.balances}
            columns={columnsOf(rows)}
            rows={rows}
            totals={totals.map((total) => ({ ...TOTAL, ...total }))}
            emptyState={{ title: strings.noBalances, text: strings.noBalancesText }}
          />
          {hasMore && <p class="muted under-list">{strings.moreBalances}</p>}
        </>
      )}
    />
  )
}

const SUSPENSE = '/api/v1/operator/suspense-ageing'

type AgedItem = Data<typeof SUSPENSE>['rows'][number]

const BUCKETS: Readonly<Record<string, string>> = reconciliationStrings.buckets

const AGEING_COLUMNS: readonly Column<AgedItem>[] = [
  { name: strings.bucket, place: 'lead', show: ({ bucket }) => BUCKETS[bucket] ?? bucket },
  {
    name: suspenseStrings.why,
    place: 'second',
    show: ({ reason }) => suspenseStrings.reasons[reason] ?? humanize(reason),
  },
  bankColumn(),
  clientColumn(),
  { name: strings.items, place: 'line', isAmount: true, show: (row) => count(row.count) },
  sumColumn(strings.amount, 'amount'),
]

// The suspense by age at the end of a day, and for accountants the setting of its alert.
export function SuspenseAgeing({ place, session }: ViewProps) {
  const emptyState = {
    icon: 'suspense',
    title: strings.noSuspense,
    text: strings.noSuspenseText,
  } as const
  return (
    <>
      <DayReport
        {...{ place, path: SUSPENSE }}
        show={({ rows }) => (
          <ReportTable
            caption={strings.tabs.suspense}
            columns={AGEING_COLUMNS}
            {...{ rows, emptyState }}
          />
        )}
      />
      {mayAccount(session) && <SuspenseEscalation />}
    </>
  )
}

const TRIAL_BALANCE = '/api/v1/operator/trial-balance'

const TRIAL_BALANCE_COLUMNS: readonly Column<Data<typeof TRIAL_BALANCE>['lines'][number]>[] = [
  ...accountColumns,
  sumColumn(strings.debit, 'debit'),
  sumColumn(strings.credit, 'credit'),
]

// The trial balance at the end of a day. The row of totals has no account code.
export function TrialBalance({ place }: ViewProps) {
  return (
    <DayReport
      {...{ place, path: TRIAL_BALANCE }}
      show={({ lines, totals }) => (
        <ReportTable
          caption={strings.tabs.trialBalance}
          columns={TRIAL_BALANCE_COLUMNS}
          rows={lines}
          totals={totals.map((sum) => ({ accountCode: '', accountName: strings.total, ...sum }))}
          emptyState={{ title: strings.noTrialBalance, text: strings.noTrialBalanceText }}
        />
      )}
    />
  )
}

const VAT = '/api/v1/operator/vat'

type VatReport = Data<typeof VAT>

const OUTPUT: readonly Column<VatReport['output'][number]>[] = [
  { ...clientColumn(), place: 'lead', show: ({ clientId }) => clientId ?? appStrings.nothing },
  sumColumn(strings.fees, 'fees'),
  sumColumn(strings.vatCharged, 'charged'),
  sumColumn(strings.vatGivenBack, 'givenBack'),
  sumColumn(strings.vatNet, 'vat'),
]

const INPUT: readonly Column<VatReport['input'][number]>[] = [
  {
    ...bankColumn(),
    place: 'lead',
    show: ({ bankCode }) => (bankCode === null ? appStrings.nothing : <BankName code={bankCode} />),
  },
  sumColumn(strings.costs, 'costs'),
  sumColumn(strings.vatPaid, 'vat'),
]

export function Vat({ place }: ViewProps) {
  const month = monthFrom(place)
  return (
    <Report
      fields={<PeriodChoice label={strings.month} type="month" name="month" value={month} />}
      links={<ReportLinks path={VAT} query={{ month }} />}
      loaded={useData(VAT, {}, { month })}
      show={(report) => <VatTotals report={report} />}
    />
  )
}

const WITHHOLDING = '/api/v1/operator/withholding-tax'

const WITHHELD: readonly Column<Data<typeof WITHHOLDING>['rows'][number]>[] = [
  { ...clientColumn(), place: 'lead', show: ({ clientId }) => clientId },
  sumColumn(strings.whtInvoiced, 'invoiced'),
  sumColumn(strings.whtWithheld, 'withheld'),
  sumColumn(strings.whtNotes, 'creditNotes'),
  sumColumn(strings.whtWrittenOff, 'writtenOff'),
  sumColumn(strings.whtReceivable, 'receivable'),
]

export function WithholdingTax({ place }: ViewProps) {
  const month = monthFrom(place)
  const emptyState = { title: strings.noWithholding, text: strings.noWithholdingText }
  return (
    <Report
      fields={<PeriodChoice label={strings.month} type="month" name="month" value={month} />}
      links={<ReportLinks path={WITHHOLDING} query={{ month }} />}
      loaded={useData(WITHHOLDING, {}, { month })}
      show={({ rows }) => (
        <ReportTable
          caption={strings.tabs.withholdingTax}
          columns={WITHHELD}
          {...{ rows, emptyState }}
        />
      )}
    />
  )
}

const STAMP_DUTY = '/api/v1/operator/stamp-duty'

const DUTY: readonly Column<Data<typeof STAMP_DUTY>['rows'][number]>[] = [
  { ...bankColumn(), place: 'lead', show: ({ bankCode }) => <BankName code={bankCode} /> },
  sumColumn(strings.dutyCharged, 'charged'),
  sumColumn(strings.dutyGivenBack, 'givenBack'),
  { name: strings.dutyTransfers, isAmount: true, show: ({ transfers }) => count(transfers) },
  sumColumn(strings.dutyExpected, 'expected'),
]

export function StampDuty({ place }: ViewProps) {
  const month = monthFrom(place)
  const emptyState = { title: strings.noDuty, text: strings.noDutyText }
  return (
    <Report
      fields={<PeriodChoice label={strings.month} type="month" name="month" value={month} />}
      links={<ReportLinks path={STAMP_DUTY} query={{ month }} />}
      loaded={useData(STAMP_DUTY, {}, { month })}
      show={({ rows }) => (
        <ReportTable caption={strings.tabs.stampDuty} columns={DUTY} {...{ rows, emptyState }} />
      )}
    />
  )
}

// The VAT charged to clients (`output`), the VAT charged by banks (`input`), and the amount payable.
function VatTotals({ report: { output, input, totals } }: { report: VatReport }) {
  if (output.length + input.length === 0) {
    return <Empty icon="accounting" title={strings.noVat} text={strings.noVatText} />
  }
  return (
    <>
      {totals.map((total) => (
        <dl key={total.currency} class="stats">
          <Stat name={strings.payable} note={strings.payableNote} isMain>
            {money(total.payable, total.currency)}
          </Stat>
          <Stat name={strings.output} note={strings.outputNote}>
            {money(total.output, total.currency)}
          </Stat>
          <Stat name={strings.input} note={strings.inputNote}>
            {money(total.input, total.currency)}
          </Stat>
        </dl>
      ))}
      <h2 class="section">{strings.output}</h2>
      <ReportTable caption={strings.output} columns={OUTPUT} rows={output} />
      <h2 class="section">{strings.input}</h2>
      <ReportTable caption={strings.input} columns={INPUT} rows={input} />
    </>
  )
}

const ESCALATION_PATH = '/api/v1/operator/suspense-escalation'
const DAYS_MAX = 3650

// The number of days after which suspense raises an alert. A blank field turns the alert off.
function SuspenseEscalation() {
  const { data, problem, reload } = useData(ESCALATION_PATH, {})
  return (
    <section class="card panel after-facts" aria-labelledby="escalation">
      <h2 id="escalation">{strings.escalation}</h2>
      <Pending {...{ data, problem, reload }} kind="text" lines={2} />
      {data && (
        <ActionForm
          key={data.days}
          action={appStrings.save}
          run={async (form) => {
            const days = form.text('days')
            await send('PUT', ESCALATION_PATH, {
              body: { days: days ? Number(days) : null },
            })
            toast(appStrings.saved)
            reload()
          }}
        >
          <InputField
            label={strings.escalationDays}
            hint={strings.escalationHint}
            name="days"
            type="number"
            min={1}
            max={DAYS_MAX}
            step={1}
            defaultValue={data.days === null ? '' : `${data.days}`}
          />
        </ActionForm>
      )}
    </section>
  )
}
