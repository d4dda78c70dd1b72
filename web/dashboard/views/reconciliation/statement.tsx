// A statement: its days and balances, and its lines.

import { useState } from 'preact/hooks'
import {
  appStrings,
  reconciliationStrings,
  bankStatementsStrings as strings,
  suspenseStrings,
} from '../../../copy.ts'
import type { Row } from '../../api.ts'
import { shortDay } from '../../days.ts'
import { count } from '../../format.ts'
import { usePages } from '../../loading.ts'
import { Facts } from '../../parts/drawer.tsx'
import { Link } from '../../parts/link.tsx'
import { Pending } from '../../parts/states.tsx'
import { Pager } from '../../parts/table.tsx'
import { Copyable, Money, Time } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import { aboutLine, lineKind, lineText, Movement } from './movement.tsx'

export type Statement = Row<'/api/v1/operator/statements'>

export const daysOf = ({ fromDay, toDay }: Statement) =>
  strings.daysOf(shortDay(fromDay), shortDay(toDay))

const LINES = '/api/v1/operator/statements/{id}/lines'
const CHOICES = { '': appStrings.filters.all, ...strings.matchedChoices }

export function StatementDetail({ statement }: { statement: Statement }) {
  const { bankCode, bankName, currency, toDay, opening, closing, hasBalances } = statement
  const day = hrefOf('reconciliation', undefined, { bankCode, day: toDay, currency })
  return (
    <>
      <div class="headline">
        <span class="headline-text">{bankName}</span>
        <Link href={day}>{strings.seeDay}</Link>
      </div>
      <p class="muted">{daysOf(statement)}</p>
      <Facts
        facts={[
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
        ]}
      />
      {!hasBalances && <p class="muted small after-facts">{strings.noBalances}</p>}
      <StatementLines statement={statement} />
    </>
  )
}

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
            about={[...aboutLine(line), line.rule && ruleText(line.rule)]}
          />
        ))}
      </ul>
      <Pager pages={pages} isOldestFirst />
    </>
  )
}

const { matchedBy, rules } = reconciliationStrings
const ruleText = (rule: string) => matchedBy(rules[rule] ?? rule)
