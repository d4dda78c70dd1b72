// The list of imported statements. Opening a statement shows its lines.

import { useState } from 'preact/hooks'
import {
  appStrings,
  reconciliationStrings,
  bankStatementsStrings as strings,
  suspenseStrings,
} from '../../../copy.ts'
import type { Row } from '../../api.ts'
import { count, money, shortDay } from '../../format.ts'
import { usePages } from '../../loading.ts'
import { Link } from '../../parts/controls.tsx'
import { factList } from '../../parts/drawer.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { Pending } from '../../parts/states.tsx'
import { amountColumn, type Column, Pager } from '../../parts/table.tsx'
import { Copyable, Money, Time } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import { mayAccount, type ViewProps } from '../../session.ts'
import { ImportStatement } from './import-statement.tsx'
import { lineDetails, lineKind, lineText, Movement, useBankFilter } from './movement.tsx'

const PATH = '/api/v1/operator/statements'

type Statement = Row<typeof PATH>

const daysText = ({ fromDay, toDay }: Statement) =>
  strings.daysOf(shortDay(fromDay), shortDay(toDay))

const COLUMNS: readonly Column<Statement>[] = [
  { name: strings.bank, place: 'lead', show: ({ bankName }) => bankName },
  { name: strings.days, place: 'second', show: daysText },
  {
    name: strings.lines,
    place: 'state',
    isAmount: true,
    show: ({ lines }) => strings.lineCount(count(lines)),
  },
  {
    name: strings.opening,
    isAmount: true,
    show: ({ opening, currency }) => money(opening, currency),
  },
  amountColumn(strings.closing, 'closing'),
  { name: strings.fileName, show: ({ fileName }) => fileName },
  { name: strings.imported, place: 'time', show: ({ importedAt }) => <Time at={importedAt} /> },
]

// The imported statements. Refreshing the list does not reload the open statement (`isLoadedOnce`).
export function Statements(props: ViewProps) {
  return (
    <ListView
      {...props}
      view="reconciliation"
      icon="advice"
      path={PATH}
      caption={reconciliationStrings.tabs.statements}
      columns={COLUMNS}
      filters={[useBankFilter()]}
      keyOf={({ statementId }) => `${statementId}`}
      emptyState={{ title: strings.none, text: strings.noneText }}
      add={
        mayAccount(props.session) &&
        ((changed) => <ImportStatement label={strings.import} isCompact onDone={changed} />)
      }
      drawer={{
        title: strings.one,
        path: `${PATH}/{id}`,
        isLoadedOnce: true,
        show: (statement) => <StatementDetail statement={statement} />,
      }}
    />
  )
}

const LINES = `${PATH}/{id}/lines` as const
// The empty value stands for all lines.
const CHOICES = { '': appStrings.filters.all, ...strings.matchedChoices }

function StatementDetail({ statement }: { statement: Statement }) {
  const { bankCode, bankName, currency, toDay, opening, closing, hasBalances } = statement
  const day = hrefOf('reconciliation', undefined, { bankCode, day: toDay, currency })
  return (
    <>
      <div class="headline">
        <span class="headline-text">{bankName}</span>
        <Link href={day}>{strings.seeDay}</Link>
      </div>
      <p class="muted">{daysText(statement)}</p>
      {factList([
        [strings.opening, <Money key="opening" amount={opening} currency={currency} />],
        [strings.closing, <Money key="closing" amount={closing} currency={currency} />],
        [strings.lines, count(statement.lines)],
        [strings.newLines, count(statement.newLines)],
        [strings.account, statement.accountNumber && <Copyable text={statement.accountNumber} />],
        [strings.reference, statement.reference],
        [strings.sequence, statement.sequence !== null && `${statement.sequence}`],
        [strings.fileName, statement.fileName],
        [strings.imported, <Time key="imported" at={statement.importedAt} />],
        [strings.importedBy, suspenseStrings.person(statement.importedBy)],
      ])}
      {!hasBalances && <p class="muted small after-facts">{strings.noBalances}</p>}
      <StatementLines statement={statement} />
    </>
  )
}

// The lines of the statement, which the user can filter: matched, unmatched or all (an empty `isMatched`).
function StatementLines({ statement: { statementId, currency } }: { statement: Statement }) {
  const [isMatched, setMatched] = useState('')
  const pages = usePages(LINES, { id: statementId }, { isMatched, limit: '20' })
  const { data, problem, reload } = pages
  return (
    <>
      <h3>{strings.linesOf}</h3>
      <fieldset class="segments states">
        <legend class="hidden">{strings.isMatched}</legend>
        {Object.entries(CHOICES).map(([value, label]) => (
          <button
            key={value}
            type="button"
            aria-pressed={value === isMatched}
            onClick={() => setMatched(value)}
          >
            {label}
          </button>
        ))}
      </fieldset>
      <Pending {...{ data, problem, reload }} kind="rows" lines={4} />
      {data?.data.length === 0 && pages.isFirst && <p class="muted">{strings.noLines}</p>}
      <ul class="movements" aria-label={strings.linesOf}>
        {data?.data.map((line) => (
          <Movement
            key={line.lineId}
            title={lineText(line)}
            kind={lineKind(line.kind)}
            amount={line.amount}
            currency={currency}
            about={[...lineDetails(line), line.rule && ruleText(line.rule)]}
          />
        ))}
      </ul>
      <Pager pages={pages} isOldestFirst />
    </>
  )
}

const { matchedBy, rules } = reconciliationStrings
const ruleText = (rule: string) => matchedBy(rules[rule] ?? rule)
