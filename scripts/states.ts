// Renders the state transitions of each table that has a status (src/*/states.ts): the SQL functions of the
// triggers that enforce the transitions, and the diagrams of docs/states.md. `npm run generate` writes both.

import { CASES } from '#cases/states.ts'
import { RETURNS, SUSPENSE_ITEMS } from '#credits/states.ts'
import { FORBIDDEN_TRANSITION, type States, statusesOf, type Transitions } from '#db/states.ts'
import { HOLDS } from '#holds/states.ts'
import { IDENTITY_CHECKS } from '#identity/states.ts'
import { MESSAGES } from '#messages/states.ts'
import { PAYMENTS } from '#payments/states.ts'
import { PAYOUTS } from '#payouts/states.ts'
import { DIFFERENCES } from '#reconciliation/states.ts'
import { REFUND_TRANSITIONS } from '#refunds/states.ts'
import { SETTLEMENTS } from '#settlement/states.ts'
import { DELIVERIES } from '#webhooks/states.ts'

export const STATES: readonly States[] = [
  PAYMENTS,
  PAYOUTS,
  SETTLEMENTS,
  SUSPENSE_ITEMS,
  RETURNS,
  DIFFERENCES,
  HOLDS,
  IDENTITY_CHECKS,
  CASES,
  DELIVERIES,
  MESSAGES,
]

type Diagram = Pick<States, 'initial' | 'transitions'>

const DIAGRAMS: ReadonlyMap<string, Diagram> = new Map<string, Diagram>([
  ...STATES.map((states) => [states.table, states] as const),
  ['refunds', { initial: 'queued', transitions: REFUND_TRANSITIONS }],
])

const quoted = (statuses: readonly string[]) => statuses.map((status) => `'${status}'`).join(', ')

export const functionPath = ({ table }: States) => `db/functions/check_${table}_transition.sql`

// The SQL function of the trigger that refuses every transition that states.ts does not list.
export function renderFunction({ table, column, transitions }: States): string {
  const cases = statusesOf(transitions)
    .filter((from) => transitions[from]?.length)
    .map(
      (from) => `       when '${from}' then new.${column} in (${quoted(transitions[from] ?? [])})`,
    )
  return `-- I109: the transitions of ${table}. Made by \`npm run generate\` from states.ts: do not edit.
create or replace function check_${table}_transition() returns trigger language plpgsql as $$
begin
  if (case old.${column}
${cases.join('\n')}
       else false
     end) then
    return new;
  end if;
  raise exception '${table}: % does not become %', old.${column}, new.${column}
    using errcode = '${FORBIDDEN_TRANSITION}', table = '${table}', column = '${column}',
          constraint = '${table}_follow_transitions';
end $$;
`
}

// A Mermaid state diagram. A status without further transitions is shown as final.
export function renderDiagram({ initial, transitions }: Diagram): string {
  const arrows = Object.entries(transitions as Transitions).flatMap(([from, next]) =>
    next.length === 0 ? [`  ${from} --> [*]`] : next.map((to) => `  ${from} --> ${to}`),
  )
  return ['```mermaid', 'stateDiagram-v2', `  [*] --> ${initial}`, ...arrows, '```'].join('\n')
}

const BLOCK = /<!-- states of (\w+): written by npm run generate -->[\s\S]*?<!-- \/states -->/g

// Returns docs/states.md with its diagrams written anew. Throws unless the document has a place for each
// table exactly once.
export function withDiagrams(document: string): string {
  // The diagrams whose place in the document has not been found yet.
  const missing = new Map(DIAGRAMS)
  // BLOCK matches each place for a diagram, with the table that the place names.
  const filled = document.replace(BLOCK, (_, table: string) => {
    const diagram = missing.get(table)
    if (!diagram) throw new Error(`docs/states.md: ${table} has no states, or has two diagrams`)
    missing.delete(table)
    const head = `<!-- states of ${table}: written by npm run generate -->`
    return `${head}\n\n${renderDiagram(diagram)}\n\n<!-- /states -->`
  })
  if (missing.size > 0) throw new Error(`docs/states.md lacks ${[...missing.keys()].join(', ')}`)
  return filled
}
