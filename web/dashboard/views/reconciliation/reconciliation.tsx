// The tabs of Reconciliation, and its shorter lists: the differences of all banks, the reconciling items, the
// adjusting entries and the uploaded statements.

import {
  bankStatementsStrings,
  reconciliationStrings,
  differencesStrings as strings,
  suspenseStrings,
} from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { count, isDay, shortDay } from '../../format.ts'
import { useSteadyRefreshKey } from '../../loading.ts'
import { Link, tabbedView } from '../../parts/controls.tsx'
import { factList } from '../../parts/drawer.tsx'
import { type Filter, filterQuery, humanized } from '../../parts/filters.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { amountColumn, type Column, useChosenAmong } from '../../parts/table.tsx'
import { Badge, BankName, Copyable, Headline, TextHeadline, Time } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import { mayAccount, type ViewProps } from '../../session.ts'
import { AssignChosen, useOwnerFilter } from './assign-difference.tsx'
import { BankDay } from './bank-day.tsx'
import { Days } from './days.tsx'
import { DecideEntry, DifferenceDrawer } from './difference.tsx'
import type { ImportRecord } from './import-job.ts'
import { ImportStatement } from './import-statement.tsx'
import {
  DIFFERENCE_COLUMNS,
  DIFFERENCES,
  type Difference,
  differenceSelection,
  kindText,
  useBankFilter,
} from './movement.tsx'
import { ResolveChosen } from './resolve-difference.tsx'
import { Statements } from './statements.tsx'

const FILTERS: readonly Filter[] = [
  { name: 'state', label: reconciliationStrings.state, choices: strings.states },
  { name: 'kind', label: reconciliationStrings.kind, choices: strings.kinds },
  { name: 'bucket', label: strings.bucket, choices: reconciliationStrings.buckets },
]

const NONE: ReadonlySet<string> = new Set()

// The differences of all banks. A selection ends when the filters change.
function Differences(props: ViewProps) {
  const [refreshKey, refresh] = useSteadyRefreshKey()
  const filters = [...FILTERS, useBankFilter(), useOwnerFilter(props.session)]
  const filterKey = JSON.stringify(filterQuery(filters, props.place.query))
  const [chosen, choose] = useChosenAmong(filterKey, NONE)
  const mayChange = mayAccount(props.session)
  // Called after an action on the selected differences, which ends the selection.
  const onDone = () => {
    choose(NONE)
    refresh()
  }
  return (
    <ListView
      {...props}
      view="reconciliation"
      icon="reconciliation"
      path={DIFFERENCES}
      file={DIFFERENCES}
      caption={reconciliationStrings.tabs.differences}
      columns={DIFFERENCE_COLUMNS}
      filters={filters}
      keyOf={({ id }) => `${id}`}
      refreshKey={refreshKey}
      {...(mayChange ? { choosing: differenceSelection(chosen, choose) } : {})}
      emptyState={{
        title: reconciliationStrings.noDifferences,
        text: reconciliationStrings.noDifferencesText,
      }}
      add={
        mayChange && (
          <>
            <AssignChosen ids={[...chosen]} session={props.session} onDone={onDone} />
            <ResolveChosen ids={[...chosen]} onDone={onDone} />
            <ImportStatement label={bankStatementsStrings.import} isCompact onDone={refresh} />
          </>
        )
      }
      detail={({ open, refreshKey: listRefreshKey, close }) => (
        <DifferenceDrawer
          id={open}
          session={props.session}
          refreshKey={listRefreshKey}
          close={close}
          changed={refresh}
        />
      )}
    />
  )
}

const RECONCILING_ITEMS_FILTERS: readonly Filter[] = [
  { name: 'bucket', label: strings.bucket, choices: reconciliationStrings.buckets },
]

const COLUMNS: readonly Column<Difference>[] = [
  ...DIFFERENCE_COLUMNS.filter(({ name }) => name !== strings.owner),
  { name: strings.reason, place: 'line', show: ({ reason }) => reason, fields: ['reason'] },
]

const ITEMS = '/api/v1/operator/reconciliation/reconciling-items'

// The differences that somebody explained with a note.
function ReconcilingItems(props: ViewProps) {
  const [refreshKey, refresh] = useSteadyRefreshKey()
  return (
    <ListView
      {...props}
      view="reconciliation"
      icon="reconciliation"
      path={ITEMS}
      file={ITEMS}
      caption={reconciliationStrings.tabs.reconciling}
      columns={COLUMNS}
      filters={[...RECONCILING_ITEMS_FILTERS, useBankFilter()]}
      keyOf={({ id }) => `${id}`}
      refreshKey={refreshKey}
      emptyState={{
        title: reconciliationStrings.noReconciling,
        text: reconciliationStrings.noReconcilingText,
      }}
      detail={({ open, refreshKey: listRefreshKey, close }) => (
        <DifferenceDrawer
          id={open}
          session={props.session}
          refreshKey={listRefreshKey}
          close={close}
          changed={refresh}
        />
      )}
    />
  )
}

const ENTRIES = '/api/v1/operator/reconciliation/adjusting-entries'

type Entry = Schemas['AdjustingEntry']

const { person } = suspenseStrings

const accountText = (account: string) => strings.adjustAccounts[account] ?? account

const ADJUSTING_ENTRIES_FILTERS: readonly Filter[] = [
  {
    name: 'state',
    label: reconciliationStrings.state,
    choices: humanized(['open', 'approved', 'rejected', 'withdrawn']),
  },
]

const ADJUSTING_ENTRIES_COLUMNS: readonly Column<Entry>[] = [
  { name: strings.adjustAccount, place: 'lead', show: ({ account }) => accountText(account) },
  amountColumn(reconciliationStrings.amount),
  {
    name: reconciliationStrings.state,
    place: 'state',
    show: ({ state }) => <Badge state={state} />,
  },
  { name: strings.bank, place: 'second', show: ({ bankCode }) => <BankName code={bankCode} /> },
  { name: strings.askedBy, show: ({ requestedBy }) => person(requestedBy) },
  { name: strings.askedAt, place: 'time', show: ({ requestedAt }) => <Time at={requestedAt} /> },
]

function AdjustingEntries(props: ViewProps) {
  return (
    <ListView
      {...props}
      view="reconciliation"
      icon="reconciliation"
      path={ENTRIES}
      file={ENTRIES}
      caption={reconciliationStrings.tabs.entries}
      columns={ADJUSTING_ENTRIES_COLUMNS}
      filters={ADJUSTING_ENTRIES_FILTERS}
      keyOf={({ reference }) => reference}
      isPolled
      emptyState={{ title: strings.noEntries, text: strings.noEntriesText }}
      drawer={{
        title: strings.adjust,
        path: `${ENTRIES}/{reference}`,
        show: (entry, { changed }) => (
          <>
            <EntryFacts entry={entry} />
            {entry.state === 'open' && (
              <DecideEntry reference={entry.reference} session={props.session} onDone={changed} />
            )}
          </>
        ),
      }}
    />
  )
}

function EntryFacts({ entry }: { entry: Entry }) {
  const { differenceId, decidedAt, decidedBy } = entry
  return (
    <>
      <Headline sum={entry} state={entry.state} about={accountText(entry.account)} />
      {factList([
        [strings.bank, <BankName key="bank" code={entry.bankCode} />],
        [
          strings.difference,
          <Link
            key="difference"
            href={hrefOf('reconciliation', `${differenceId}`, { tab: 'differences' })}
          >
            {`${kindText(entry.kind)} · ${shortDay(entry.day)}`}
          </Link>,
        ],
        [strings.reason, entry.reason],
        [strings.reference, <Copyable key="reference" text={entry.reference} />],
        [strings.askedAt, <Time key="asked" at={entry.requestedAt} />],
        [strings.askedBy, person(entry.requestedBy)],
        [strings.decidedAt, decidedAt && <Time at={decidedAt} />],
        [strings.decidedBy, decidedBy && person(decidedBy)],
        [strings.decisionReason, entry.decisionReason],
      ])}
    </>
  )
}

const PATH = '/api/v1/operator/statement-imports'

const TONES: Record<string, 'good' | 'bad' | 'warn'> = {
  done: 'good',
  failed: 'bad',
  cut_off: 'bad',
  reading: 'warn',
  matching: 'warn',
}

function ImportState({ state }: { state: string }) {
  return (
    <Badge state={bankStatementsStrings.states[state] ?? state} tone={TONES[state] ?? 'calm'} />
  )
}

const formatOf = ({ format, profile }: ImportRecord) =>
  [bankStatementsStrings.formats[format] ?? format, profile].filter(Boolean).join(' · ')

const IMPORTS_COLUMNS: readonly Column<ImportRecord>[] = [
  {
    name: bankStatementsStrings.fileName,
    place: 'lead',
    show: ({ fileName }) => fileName ?? bankStatementsStrings.noFileName,
  },
  {
    name: bankStatementsStrings.state,
    place: 'amount',
    show: ({ state }) => <ImportState state={state} />,
  },
  {
    name: bankStatementsStrings.bank,
    place: 'second',
    show: ({ bankCode }) => <BankName code={bankCode} />,
  },
  { name: bankStatementsStrings.format, show: formatOf },
  {
    name: bankStatementsStrings.lines,
    place: 'state',
    isAmount: true,
    show: ({ lines }) => bankStatementsStrings.lineCount(count(lines)),
  },
  { name: bankStatementsStrings.error, show: ({ error }) => error && errorText(error) },
  {
    name: bankStatementsStrings.started,
    place: 'time',
    show: ({ startedAt }) => <Time at={startedAt} />,
  },
]

function errorText({ line, message }: NonNullable<ImportRecord['error']>): string {
  return line === null ? message : bankStatementsStrings.atLine(count(line), message)
}

function Imports(props: ViewProps) {
  return (
    <ListView
      {...props}
      view="reconciliation"
      icon="upload"
      path={PATH}
      caption={reconciliationStrings.tabs.imports}
      columns={IMPORTS_COLUMNS}
      filters={[useBankFilter()]}
      keyOf={({ importId }) => `${importId}`}
      isPolled
      emptyState={{
        title: bankStatementsStrings.noImports,
        text: bankStatementsStrings.noImportsText,
      }}
      add={
        mayAccount(props.session) &&
        ((changed) => (
          <ImportStatement label={bankStatementsStrings.import} isCompact onDone={changed} />
        ))
      }
      drawer={{
        title: bankStatementsStrings.oneImport,
        path: `${PATH}/{id}`,
        show: (record) => <ImportFacts record={record} />,
      }}
    />
  )
}

function ImportFacts({ record }: { record: ImportRecord }) {
  const { state, error, fileName } = record
  return (
    <>
      <TextHeadline
        text={fileName ?? bankStatementsStrings.noFileName}
        badge={<ImportState state={state} />}
      />
      {error && <p class="notice held">{errorText(error)}</p>}
      {state === 'cut_off' && <p class="notice held">{bankStatementsStrings.cutOffText}</p>}
      {factList([
        [bankStatementsStrings.bank, <BankName key="bank" code={record.bankCode} />],
        [bankStatementsStrings.format, formatOf(record)],
        [bankStatementsStrings.lines, count(record.lines)],
        [bankStatementsStrings.started, <Time key="started" at={record.startedAt} />],
        [bankStatementsStrings.startedBy, suspenseStrings.person(record.startedBy)],
        [bankStatementsStrings.updated, <Time key="updated" at={record.updatedAt} />],
      ])}
    </>
  )
}

// The first tab: the proof of one day if the URL names a bank and a day but no tab, else the list of days.
function DaysOrBankDay(props: ViewProps) {
  const { tab, bankCode, day } = props.place.query
  if (tab || !bankCode || !isDay(day)) return <Days {...props} />
  return <BankDay key={`${bankCode} ${day}`} {...props} bankCode={bankCode} day={day} />
}

export default tabbedView({
  view: 'reconciliation',
  words: reconciliationStrings,
  tabs: {
    days: DaysOrBankDay,
    differences: Differences,
    reconciling: ReconcilingItems,
    entries: AdjustingEntries,
    statements: Statements,
    imports: Imports,
  },
})
