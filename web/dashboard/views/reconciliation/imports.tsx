// The list of all uploaded statements. A refused statement shows the invalid line and the reason.

import {
  reconciliationStrings,
  bankStatementsStrings as strings,
  suspenseStrings,
} from '../../../copy.ts'
import { count } from '../../format.ts'
import { BankName } from '../../parts/bank-name.tsx'
import { Facts } from '../../parts/drawer.tsx'
import { ListView } from '../../parts/list-view.tsx'
import type { Column } from '../../parts/table.tsx'
import { Badge, TextHeadline, Time } from '../../parts/values.tsx'
import { mayAccount } from '../../session.ts'
import type { ViewProps } from '../../view-props.ts'
import type { ImportRecord } from './import-job.ts'
import { ImportStatement } from './import-statement.tsx'
import { useBankFilter } from './movement.tsx'

const PATH = '/api/v1/operator/statement-imports'

const TONES: Record<string, 'good' | 'bad' | 'warn'> = {
  done: 'good',
  failed: 'bad',
  cut_off: 'bad',
  reading: 'warn',
  matching: 'warn',
}

function ImportState({ state }: { state: string }) {
  return <Badge state={strings.states[state] ?? state} tone={TONES[state] ?? 'calm'} />
}

const formatOf = ({ format, profile }: ImportRecord) =>
  [strings.formats[format] ?? format, profile].filter(Boolean).join(' · ')

const COLUMNS: readonly Column<ImportRecord>[] = [
  { name: strings.fileName, place: 'lead', show: ({ fileName }) => fileName ?? strings.noFileName },
  { name: strings.state, place: 'amount', show: ({ state }) => <ImportState state={state} /> },
  { name: strings.bank, place: 'second', show: ({ bankCode }) => <BankName code={bankCode} /> },
  { name: strings.format, show: formatOf },
  {
    name: strings.lines,
    place: 'state',
    isAmount: true,
    show: ({ lines }) => strings.lineCount(count(lines)),
  },
  { name: strings.error, show: ({ error }) => error && errorText(error) },
  { name: strings.started, place: 'time', show: ({ startedAt }) => <Time at={startedAt} /> },
]

function errorText({ line, message }: NonNullable<ImportRecord['error']>): string {
  return line === null ? message : strings.atLine(count(line), message)
}

// The imports of statements, read again every ten seconds (`isPolled`).
export function Imports(props: ViewProps) {
  return (
    <ListView
      {...props}
      view="reconciliation"
      icon="upload"
      path={PATH}
      caption={reconciliationStrings.tabs.imports}
      columns={COLUMNS}
      filters={[useBankFilter()]}
      keyOf={({ importId }) => `${importId}`}
      isPolled
      emptyState={{ title: strings.noImports, text: strings.noImportsText }}
      add={
        mayAccount(props.session) &&
        ((changed) => <ImportStatement label={strings.import} isCompact onDone={changed} />)
      }
      drawer={{
        title: strings.oneImport,
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
      <TextHeadline text={fileName ?? strings.noFileName} badge={<ImportState state={state} />} />
      {error && <p class="notice held">{errorText(error)}</p>}
      {state === 'cut_off' && <p class="notice held">{strings.cutOffText}</p>}
      <Facts
        facts={[
          [strings.bank, <BankName key="bank" code={record.bankCode} />],
          [strings.format, formatOf(record)],
          [strings.lines, count(record.lines)],
          [strings.started, <Time key="started" at={record.startedAt} />],
          [strings.startedBy, suspenseStrings.person(record.startedBy)],
          [strings.updated, <Time key="updated" at={record.updatedAt} />],
        ]}
      />
    </>
  )
}
