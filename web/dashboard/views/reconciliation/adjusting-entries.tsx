// Adjusting entries of all banks, with the user who requested each entry and the user who decided on it.

import {
  reconciliationStrings,
  differencesStrings as strings,
  suspenseStrings,
} from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { shortDay } from '../../days.ts'
import { BankName } from '../../parts/bank-name.tsx'
import { Facts } from '../../parts/drawer.tsx'
import { type Filter, humanized } from '../../parts/filters.tsx'
import { Link } from '../../parts/link.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { amountColumn, type Column } from '../../parts/table.tsx'
import { Badge, Copyable, Headline, Time } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import type { ViewProps } from '../../view-props.ts'
import { DecideEntry } from './adjust-difference.tsx'
import { kindText } from './movement.tsx'

const ENTRIES = '/api/v1/operator/reconciliation/adjusting-entries'

type Entry = Schemas['AdjustingEntry']

const { person } = suspenseStrings

const accountText = (account: string) => strings.adjustAccounts[account] ?? account

const FILTERS: readonly Filter[] = [
  {
    name: 'state',
    label: reconciliationStrings.state,
    choices: humanized(['open', 'approved', 'rejected', 'withdrawn']),
  },
]

const COLUMNS: readonly Column<Entry>[] = [
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

// The adjusting entries, read again every ten seconds (`isPolled`).
export function AdjustingEntries(props: ViewProps) {
  return (
    <ListView
      {...props}
      view="reconciliation"
      icon="reconciliation"
      path={ENTRIES}
      file={ENTRIES}
      caption={reconciliationStrings.tabs.entries}
      columns={COLUMNS}
      filters={FILTERS}
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
      <Facts
        facts={[
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
        ]}
      />
    </>
  )
}
