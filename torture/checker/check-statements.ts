// Statements: each line is imported once, and at the end of a run it is matched with the credit that it names
// and with no other.

import type { Books } from './books.ts'

const LINES = `
  select l.session_id, count(distinct l.id) as lines,
         count(m.line_id) filter (where c.session_id = l.session_id) as right_matches,
         count(m.line_id) filter (where c.session_id is distinct from l.session_id) as wrong_matches
    from statement_lines l
    left join statement_matches m on m.line_id = l.id
    left join credits c on m.item_kind = 'credit' and c.id = m.item_id
   where l.session_id is not null
   group by l.session_id`

// Checks that each line of an acknowledged statement exists once, and that it is matched with the credit of
// its session id and with no other. Lines may be unmatched until the end of the run.
export async function checkStatements({ rows, testimony, isFinal }: Books): Promise<string[]> {
  const lines = new Map((await rows(LINES)).map((row) => [row.session_id as string, row]))
  const intents = testimony.of('statement') // The requests of the run, each with its answers.
  const sentSessionIds = new Set(intents.flatMap(({ terms }) => terms.sessions?.split(',') ?? []))
  const acknowledgedSessionIds = intents
    .filter(({ acknowledged }) => acknowledged.length > 0)
    .flatMap(({ terms }) => terms.sessions?.split(',') ?? [])
  return [
    ...acknowledgedSessionIds.flatMap((id) => {
      const { lines: count = '0', right_matches: matched = '0' } = lines.get(id) ?? {}
      if (count === '0') return [`the statement line of ${id} was acknowledged and does not exist`]
      return isFinal && matched === '0'
        ? [`the statement line of ${id} is matched with nothing`]
        : []
    }),
    ...[...lines].flatMap(([id, { lines: count, right_matches: right, wrong_matches: wrong }]) => [
      ...(sentSessionIds.has(id) ? [] : [`the statement line of ${id} exists and nobody sent it`]),
      ...(count === '1' ? [] : [`the statement line of ${id} exists ${count} times`]),
      ...(Number(right) > 1 ? [`the statement line of ${id} is matched ${right} times`] : []),
      ...(Number(wrong) > 0 ? [`the statement line of ${id} is matched with another credit`] : []),
    ]),
  ]
}
