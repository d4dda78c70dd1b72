// Compares all the books of the service, read from its database, with those of the model: balances, payments,
// credits, suspense, events and alerts. Reports only the first few differences.

import assert from 'node:assert/strict'
import type { Model } from '../support/model.ts'
import type { Books } from '../support/model-books.ts'
import type { World } from './world.ts'

const REPORTED_MAX = 12

type Lines = Map<string, string> // The state of each object, by its name.
export type Reading = Record<string, Lines> // By kind of object, such as `payment`.
type Db = World['db']

// The service's books, in the same form as expectedBooks() describes the model's.
export async function readBooks({ db, isTimeless }: World): Promise<Reading> {
  const reading = {
    balance: await readBalances(db),
    payment: await readPayments(db),
    credit: await readCredits(db),
    identifier: await readIdentifiers(db),
    suspense: await readSuspense(db),
    events: await readEvents(db),
    alert: await readAlerts(db),
  }
  return isTimeless ? withoutTimes(reading) : reading
}

// The books that the model predicts, in the form of readBooks().
export function expectedBooks({ isTimeless }: World, books: Books): Reading {
  const reading = {
    balance: texts(books.balances()),
    payment: expectedPayments(books),
    credit: expectedCredits(books),
    identifier: expectedIdentifiers(books),
    suspense: expectedSuspense(books),
    events: expectedEvents(books),
    alert: new Map([...books.alerts].map((alert) => [alert, 'raised'])),
  }
  return isTimeless ? withoutTimes(reading) : reading
}

// Removes the times of payments, which a world with a real clock cannot predict.
function withoutTimes(reading: Reading): Reading {
  const lines = [...(reading.payment as Lines)]
  return { ...reading, payment: new Map(lines.map(([name, line]) => [name, untilComma(line)])) }
}

// The times of a payment come after the comma of its line.
function untilComma(line: string): string {
  return line.replace(/,.*/, '')
}

// Asserts that service and model agree.
export async function compareBooks(world: World, { books }: Model): Promise<void> {
  const expected = expectedBooks(world, books)
  const found = differences(await readBooks(world), expected, Object.keys(expected))
  const text = found.slice(0, REPORTED_MAX).join('\n')
  assert(found.length === 0, `${found.length} differ from the model:\n${text}`)
}

// The differences between the service's objects of these kinds and the model's. With `ignoreUnexpected`,
// objects that only the service has are no difference. The test of concurrent requests (contests.ts) needs
// this: its model knows only the objects of the latest requests, but the database also has the earlier ones.
export function differences(
  actual: Reading,
  expected: Reading,
  kinds: readonly string[],
  { ignoreUnexpected = false } = {},
): string[] {
  return kinds.flatMap((kind) => {
    const [actualLines, expectedLines] = [actual[kind] as Lines, expected[kind] as Lines]
    const expectedNames = [...expectedLines.keys()]
    const names = ignoreUnexpected
      ? expectedNames
      : new Set([...actualLines.keys(), ...expectedNames])
    return [...names].flatMap((name) => {
      const [line, expectedLine] = [actualLines.get(name), expectedLines.get(name)]
      return line === expectedLine
        ? []
        : [`${kind} ${name}\n    is ${line}\n  must ${expectedLine}`]
    })
  })
}

// Balances as texts, so that they compare like all other objects.
function texts(numbers: ReadonlyMap<string, bigint>): Lines {
  return new Map([...numbers].map(([name, kobo]) => [name, `${kobo}`]))
}

// Runs a query whose rows have the name of an object and its state as text. Asserts that no name comes twice.
async function read(db: Db, sql: string): Promise<Lines> {
  const { rows } = await db.query<{ name: string; line: string }>(sql)
  const lines = new Map(rows.map(({ name, line }) => [name, line]))
  assert.equal(lines.size, rows.length, 'each is there once')
  return lines
}

// All balances that are not zero. Accounts that grow by debits, such as a bank's, count debits less credits.
function readBalances(db: Db): Promise<Lines> {
  return read(
    db,
    `select case when l.kind = 'collection' then 'collection ' || a.account_number
                 else concat_ws(' ', l.kind,
                                coalesce(c.client_id, o.client_id || '/' || u.code,
                                         split_part(l.owner, ':', 2)), l.currency) end as name,
            (case when l.kind in ('bank', 'shortfall', 'bank_cost', 'stamp_duty', 'input_vat')
                  then l.debits_kobo - l.credits_kobo
                  else l.credits_kobo - l.debits_kobo end)::text as line
       from ledger_accounts l
       left join collection_accounts a on a.id = l.id
       left join clients c on l.owner in ('client:' || c.id, 'operator:' || c.id)
       left join subaccounts u on l.owner = 'subaccount:' || u.id
       left join clients o on o.id = u.client_id
      where l.debits_kobo <> l.credits_kobo`,
  )
}

function readPayments(db: Db): Promise<Lines> {
  return read(
    db,
    `select id::text as name,
            format('%s %s of %s fee %s VAT %s, %s to %s', status, amount_paid_kobo, amount_kobo,
                   charged_fee_kobo, charged_vat_kobo,
                   extract(epoch from expires_at)::numeric(20, 3),
                   extract(epoch from closes_at)::numeric(20, 3)) as line
       from payments`,
  )
}

// The model's payments, in the form of readPayments().
function expectedPayments({ payments }: Books): Lines {
  const seconds = (ms: number) => (ms / 1000).toFixed(3)
  return new Map(
    [...payments.values()].map((payment) => {
      const { reference, status, kobo, askedKobo, fees, expiresAt, closesAt } = payment
      const charged = `fee ${fees.fee} VAT ${fees.vat}`
      const times = `${seconds(expiresAt)} to ${seconds(closesAt)}`
      return [reference, `${status} ${kobo} of ${askedKobo} ${charged}, ${times}`]
    }),
  )
}

function readCredits(db: Db): Promise<Lines> {
  return read(
    db,
    `select session_id || '@' || bank_code as name,
            format('%s %s %s to %s, withheld %s %s %s', outcome, amount_kobo, currency,
                   account_number, fee_kobo, vat_kobo, duty_kobo)
              || (select format(', charged %s %s',
                                coalesce(sum(f.fee_kobo - f.fee_returned_kobo), 0),
                                coalesce(sum(f.vat_kobo - f.vat_returned_kobo), 0))
                    from credit_fees f where f.credit_id = c.id)
              || (select format(', shared %s', coalesce(sum(s.share_kobo - s.returned_kobo), 0))
                    from credit_splits s where s.credit_id = c.id) as line
       from credits c`,
  )
}

// The model's credits, in the form of readCredits().
function expectedCredits(books: Books): Lines {
  return new Map(
    [...books.credits.values()].map((credit) => {
      const { fee, vat, duty } = credit.charges
      const outcome = books.outcomeOf(credit)
      const terms = `${outcome} ${credit.kobo} ${credit.currency} to ${credit.number}`
      const charged = credit.parts.map(({ fees }) => fees)
      const sum = (kind: 'fee' | 'vat') => charged.reduce((total, fees) => total + fees[kind], 0n)
      const withheld = `withheld ${fee} ${vat} ${duty}`
      const shared = credit.parts.flatMap(({ shares }) => [...shares.values()])
      const sharedKobo = shared.reduce((total, kobo) => total + kobo, 0n)
      const costs = `charged ${sum('fee')} ${sum('vat')}, shared ${sharedKobo}`
      return [credit.name, `${terms}, ${withheld}, ${costs}`]
    }),
  )
}

function readIdentifiers(db: Db): Promise<Lines> {
  return read(
    db,
    `select concat_ws(' ', i.kind, i.value || '@' || i.bank_code) as name,
            c.session_id || '@' || c.bank_code as line
       from credit_identifiers i join credits c on c.id = i.credit_id`,
  )
}

// The model's identifiers of credits, in the form of readIdentifiers().
function expectedIdentifiers({ credits }: Books): Lines {
  return new Map(
    [...credits.values()].flatMap(({ name, bank, identifiers }) =>
      identifiers.map(({ kind, value }): [string, string] => [`${kind} ${value}@${bank}`, name]),
    ),
  )
}

// Leaves out reversed suspense items, which have no money left to compare.
function readSuspense(db: Db): Promise<Lines> {
  return read(
    db,
    `select c.session_id || '@' || c.bank_code as name,
            concat_ws(' ', i.state, i.amount_kobo, i.reason, 'of', coalesce(o.client_id, 'nobody'),
                      'to', a.account_number, i.assigned_payment_id) as line
       from suspense_items i
       join credits c on c.id = i.credit_id
       left join clients o on o.id = i.client_id
       left join collection_accounts a on a.id = i.assigned_account_id
      where i.state <> 'reversed'`,
  )
}

// The model's suspense items, in the form of readSuspense().
function expectedSuspense(books: Books): Lines {
  const lines: Lines = new Map()
  for (const credit of books.credits.values()) {
    const { item } = credit
    const state = item && books.stateOf(item)
    if (!item || state === 'reversed') continue
    const { place, kobo, reason } = item
    const to =
      'number' in place ? ` ${place.number}` : 'reference' in place ? ` ${place.reference}` : ''
    const owner = item.owner?.name ?? 'nobody'
    lines.set(credit.name, `${state} ${kobo} ${reason} of ${owner} to${to}`)
  }
  return lines
}

// The kinds of alerts that the model predicts: those that reports of money raise.
const OF_MONEY = `('session_reused', 'reversal_shortfall', 'wrong_bank', 'rail_item_rejected')`

// The events about each object, in the order of their numbers. Leaves out account updates by the identity
// service, which the model does not have.
function readEvents(db: Db): Promise<Lines> {
  const kobo = (fact: string) => `e.facts->>'${fact}Kobo'`
  return read(
    db,
    `select concat_ws(' ', c.client_id, about) as name,
            string_agg(told, '; ' order by sequence) as line
       from (select e.client_id, e.sequence,
                    case split_part(e.type, '.', 1)
                      when 'payment' then e.payment_id::text
                      when 'credit' then r.session_id || '@' || r.bank_code
                      when 'alert' then concat_ws(' ', e.facts->>'kind', e.facts->>'subject')
                      else a.account_number end as about,
                    case when e.type = 'account.created' then e.type else
                    concat_ws(' ', e.type, e.facts->>'reason', e.facts->>'status',
                              ${kobo('accountBalance')}, ${kobo('amountPaid')},
                              ${kobo('amountSuspended')}, ${kobo('amountAssigned')},
                              ${kobo('amountReturned')}, ${kobo('amountReversed')}) end as told
               from events e
               left join credits r on r.id = e.credit_id
               left join collection_accounts a on a.id = e.collection_account_id
              where (e.type <> 'alert.raised' or e.facts->>'kind' in ${OF_MONEY})
                and not coalesce(e.facts::jsonb->'changes' ? 'identity', false)) as told
       join clients c on c.id = told.client_id
      group by 1`,
  )
}

// The model's events, and one event about each alert for each operator.
function expectedEvents({ clients, alerts }: Books): Lines {
  const lines: Lines = new Map()
  for (const { name, events, isOperator } of clients.values()) {
    for (const alert of isOperator ? alerts : []) lines.set(`${name} ${alert}`, 'alert.raised')
    for (const [about, eventTexts] of events) lines.set(`${name} ${about}`, eventTexts.join('; '))
  }
  return lines
}

function readAlerts(db: Db): Promise<Lines> {
  return read(
    db,
    `select kind || ' ' || subject as name, 'raised' as line from alerts
      where kind in ${OF_MONEY}`,
  )
}
