// Settlements: each acknowledged one exists once, is the sum of its lines, is paid out in full, and
// has its events.

import { type Books, differs, sameAnswers } from './books.ts'

const SETTLEMENTS = `
  select s.reference, s.status, s.net_kobo, c.client_id,
         coalesce((select sum(l.net_kobo) from settlement_lines l
                    where l.settlement_id = s.id), 0) as lines,
         coalesce((select sum(p.amount_kobo) from payouts p where p.settlement_id = s.id), 0) as sent,
         (select count(*) from events e
           where e.type = 'settlement.closed' and e.facts->>'reference' = s.reference) as told
    from settlements s join clients c on c.id = s.client_id`

const SETTLED_TWICE = `
  select c.session_id, l.account_id, count(*) as times
    from settlement_lines l
    join settlements s on s.id = l.settlement_id and s.status <> 'cancelled'
    join credits c on c.id = l.credit_id
   where l.kind = 'credit' and l.gross_kobo > 0
   group by c.session_id, l.account_id, l.subaccount_id having count(*) > 1`

const SETTLING = `
  select (select coalesce(sum(credits_kobo - debits_kobo), 0) from ledger_accounts
           where kind = 'settling') as held,
         (select coalesce(sum(net_kobo), 0) from settlements where status = 'closed') as closed`

// A settlement in these states has no payouts: those of a closed settlement are made later.
const NOT_SENT = ['closed', 'cancelled']

// Checks that each settlement belongs to the client that closed it, that its lines and its payouts add up to
// its net, that it has one event, and that no credit is in two settlements.
export async function checkSettlements({ rows, testimony }: Books): Promise<string[]> {
  const settlements = await rows(SETTLEMENTS)
  const settledTwice = await rows(SETTLED_TWICE)
  const [sums] = await rows(SETTLING)
  const intents = testimony.of('settlement') // The requests of the run, each with its answers.
  const settlementsByReference = new Map(
    settlements.map((settlement) => [settlement.reference, settlement]),
  )
  const byClient = Map.groupBy(settlements, ({ client_id: client }) => client)
  return [
    ...sameAnswers('settlement', intents, 'reference'),
    ...intents.flatMap(({ key, terms, acknowledged: [answer] }) =>
      answer
        ? differs(
            `the client of ${key}`,
            settlementsByReference.get(answer.reference ?? '')?.client_id,
            terms.clientId,
          )
        : [],
    ),
    // Settlements have no idempotency key, so at most one may exist per call that was not refused.
    ...[...byClient].flatMap(([client, clientSettlements]) => {
      const requestedCount = intents.filter(
        ({ terms, acknowledged, open }) =>
          terms.clientId === client && (acknowledged.length > 0 || open > 0),
      ).length
      const count = clientSettlements.length
      return count > requestedCount
        ? [`${client} has ${count} settlements and wanted ${requestedCount}`]
        : []
    }),
    ...settlements.flatMap(({ reference, status = '', net_kobo: net = '0', ...settlement }) => [
      ...differs(`the lines of settlement ${reference}`, settlement.lines, net),
      ...differs(
        `the payouts of settlement ${reference} (${status})`,
        settlement.sent,
        NOT_SENT.includes(status) ? '0' : net,
      ),
      ...differs(`settlement.closed events of ${reference}`, settlement.told, '1'),
    ]),
    ...settledTwice.map(({ session_id: id, times }) => `credit ${id} is in ${times} settlements`),
    ...differs('what is in settling', sums?.held, sums?.closed),
  ]
}
