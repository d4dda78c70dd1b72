// Stores a file in one transaction (I64): its statements, and those of its lines that were in no earlier
// file. Lines are compared by content. If a file has several lines with equal content, they are numbered: the
// second of them in this file is the same line as the second of them in another file.
//
// Locks: the bank's account in each currency, so that its imports follow one another.

import { StatementProblem } from '#banks/statements/statement.ts'
import { numberArray, plainArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import type { StatementId } from '#ids.ts'
import { CURRENCY, type Kobo, kobo } from '#money.ts'
import { doesNotAddUp, HASH_BYTES, type ReadStatement, STAGED_LINES } from './read-file.ts'

// This is enough memory to sort and join a million hashes.
const WORK_MEM = '96MB'

export type FileContent = {
  importId: bigint
  bankCode: string
  accountNumber: string | undefined // From the bank's settings.
  fileHash: Buffer
  statements: readonly ReadStatement[]
}

// Locks the bank's account in each currency of the file until the transaction ends, and returns the
// currencies. Locks in sorted order, so that two imports cannot deadlock.
export async function lockBankAccounts(
  tx: Transaction,
  { bankCode, statements }: FileContent,
): Promise<string[]> {
  const currencies = [...new Set(statements.map(({ currency }) => currency))].sort()
  for (const currency of currencies) {
    await tx.query({
      name: 'lock-bank-statements',
      text: `select pg_advisory_xact_lock(hashtext('statements'), hashtext($1))`,
      values: [`${bankCode}/${currency}`],
    })
  }
  return currencies
}

// Finds a completed import of a file with the same hash, so that the file is not stored twice.
export async function findSameFile(
  tx: Transaction,
  { bankCode, fileHash }: FileContent,
): Promise<bigint | undefined> {
  const { rows } = await tx.query<{ id: bigint }>({
    name: 'find-same-file',
    text: `select id from statement_imports
            where bank_code = $1 and file_hash = $2 and state = 'done'`,
    values: [bankCode, fileHash],
  })
  return rows[0]?.id
}

// Stores the statements of a file and those of its lines that no earlier file had.
export async function storeStatements(
  tx: Transaction,
  now: Date,
  content: FileContent,
): Promise<void> {
  const firstAccountNumbers = new Map<string, string>() // By currency, from this file.
  for (const { currency, accountNumber } of content.statements) {
    if (accountNumber === null) continue
    const firstAccountNumber = firstAccountNumbers.get(currency) ?? accountNumber
    firstAccountNumbers.set(currency, firstAccountNumber)
    await checkAccount(tx, content, { currency, accountNumber, first: firstAccountNumber })
  }
  const ids: StatementId[] = []
  for (const statement of content.statements) {
    ids.push(await insertStatement(tx, now, { ...content, statement }))
  }
  await tx.query(`set local work_mem = '${WORK_MEM}'`)
  await tx.query('set local default_statistics_target = 10') // The planner needs the row counts only.
  await tx.query(`analyze ${STAGED_LINES}`)
  const lineFlags = await findKnownLines(tx, content.bankCode, ids)
  const currencies = content.statements.map(({ currency }) => currency)
  await insertLines(tx, { bankCode: content.bankCode, ids, currencies, ...lineFlags })
  await finishStatements(tx, content, ids)
}

type Account = { currency: string; accountNumber: string; first: string }

// Refuses a statement of another account. Our account at a bank is the configured one, which is in naira. In
// other currencies, or if none is configured, it is the account of the first statement: `first` is the
// first account number of this file, for the case that no statement is stored yet.
async function checkAccount(
  tx: Transaction,
  { bankCode, accountNumber: configured }: FileContent,
  { currency, accountNumber, first }: Account,
): Promise<void> {
  const { rows } = await tx.query<{ accountNumber: string }>({
    name: 'first-statement-account',
    text: `select account_number from statements
            where bank_code = $1 and currency = $2 and account_number is not null
            order by id limit 1`,
    values: [bankCode, currency],
  })
  const expected = (currency === CURRENCY ? configured : undefined) ?? rows[0]?.accountNumber
  const ours = expected ?? first
  if (withoutPunctuation(ours) === withoutPunctuation(accountNumber)) return
  throw new StatementProblem(
    null,
    `The statement is of account ${accountNumber}, and the account at this bank is ${ours}.`,
  )
}

// Removes spaces and punctuation, which banks write differently from one statement to the next.
function withoutPunctuation(accountNumber: string): string {
  return accountNumber.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase()
}

// Inserts a statement without its lines, and returns its id. If the file has no balances,
// computeBalances() derives them from the previous statement once the new lines are known.
async function insertStatement(
  tx: Transaction,
  now: Date,
  { importId, bankCode, statement }: FileContent & { statement: ReadStatement },
): Promise<StatementId> {
  const { openingKobo, closingKobo } = statement
  const { rows } = await tx.query<{ id: StatementId }>({
    name: 'insert-statement',
    text: `insert into statements (import_id, bank_code, currency, account_number, reference,
                                   sequence, from_day, to_day, opening_kobo, closing_kobo,
                                   has_balances, lines, new_lines, imported_at, covers_from)
           values ($1, $2, $3, $4, $5, $6, $7, $8, coalesce($9::bigint, 0), coalesce($10::bigint, 0),
                   $9::bigint is not null, $11, 0, $12, $13)
           returning id`,
    values: [
      importId,
      bankCode,
      statement.currency,
      statement.accountNumber,
      statement.reference,
      statement.sequence,
      statement.fromDay,
      statement.toDay,
      openingKobo,
      closingKobo,
      statement.lines,
      now,
      statement.coversFrom,
    ],
  })
  return (rows[0] as { id: StatementId }).id
}

const STATEMENT_IDS = 'unnest($1::bigint[]) with ordinality as ids (id, no)'

// Finds lines that are repeated in the file, and lines that are stored already. The hash of a line covers its
// content. The hash of a repeated line also covers its number among the equal lines. Stores them in the
// tables repeated_lines and known_lines; the returned flags say whether these have any rows.
async function findKnownLines(
  tx: Transaction,
  bankCode: string,
  ids: readonly StatementId[],
): Promise<LineFlags> {
  await tx.query(
    `create temporary table repeated_lines (seq integer primary key, hash bytea not null)
       on commit drop`,
  )
  const { rowCount: repeated } = await tx.query(
    `insert into repeated_lines
     with repeated as (select content from ${STAGED_LINES} group by 1 having count(*) > 1)
     select seq, substr(sha256(content || int8send(nth)), 1, ${HASH_BYTES})
       from (select seq, content, row_number() over (partition by content order by seq) as nth
               from ${STAGED_LINES} join repeated using (content)) as numbered
      where nth > 1`,
  )
  await tx.query(
    `create temporary table known_lines
       (seq integer primary key, statement_no integer not null, amount_kobo bigint not null)
       on commit drop`,
  )
  await tx.query('analyze repeated_lines')
  const { rowCount: knownCount } = await tx.query(
    `insert into known_lines
     select s.seq, s.statement_no, l.amount_kobo
       from ${STAGED_LINES} s
       left join repeated_lines r using (seq)
       join ${STATEMENT_IDS} on ids.no = s.statement_no
       join statements f on f.id = ids.id
       join statement_lines l on l.bank_code = $2 and l.currency = f.currency
                             and l.booked_on = s.booked_on and l.hash = coalesce(r.hash, s.content)`,
    [numberArray(ids), bankCode],
  )
  await tx.query('analyze known_lines')
  return { hasRepeated: repeated !== 0, hasKnown: knownCount !== 0 }
}

// `hasRepeated`: the file has equal lines. `hasKnown`: it has lines that an earlier import stored, as when
// two statements overlap. If the file has neither, the insert needs no look-ups.
type LineFlags = { hasRepeated: boolean; hasKnown: boolean }
type NewLines = LineFlags & {
  bankCode: string
  ids: readonly StatementId[]
  currencies: readonly string[]
}

// Inserts the new lines in the order of the file. Skips the known lines, and gives repeated lines the hash
// that includes their number. Looks both up line by line, because joins would sort a million whole lines.
// Leaves out a look-up that can find nothing: the two together take as long as inserting the row.
//
// findKnownLines() ran under the lock that keeps other imports of the account out. So if a line that was not
// found there violates the unique constraint, that is a bug, and the import fails.
async function insertLines(tx: Transaction, lines: NewLines): Promise<void> {
  const { bankCode, ids, currencies, hasRepeated, hasKnown } = lines
  const repeated = '(select hash from repeated_lines r where r.seq = s.seq)'
  const knownSeq = '(select seq from known_lines k where k.seq = s.seq)'
  await tx.query(
    `insert into statement_lines (statement_id, bank_code, currency, line_no, booked_on, value_on,
                                  amount_kobo, is_reversal, kind, session_id, bank_reference,
                                  end_to_end_id, account_number, counterparty_name,
                                  counterparty_sealed, counterparty_bank, narration, hash)
     select ($1::bigint[])[statement_no], $2, ($3::text[])[statement_no], line_no, booked_on,
            value_on, amount_kobo, is_reversal, kind, session_id, bank_reference, end_to_end_id,
            account_number, counterparty_name, counterparty_sealed, counterparty_bank, narration,
            ${hasRepeated ? `coalesce(${repeated}, content)` : 'content'}
       from ${STAGED_LINES} s ${hasKnown ? `where ${knownSeq} is null` : ''}`,
    [numberArray(ids), bankCode, plainArray(currencies)],
  )
}

type Stored = { id: StatementId; newLines: number; newKobo: Kobo; lines: number; sumKobo: Kobo }

// Checks that the stored rows equal the file and that each statement adds up. Then stores the balances and
// the number of new lines of each statement.
async function finishStatements(
  tx: Transaction,
  { bankCode, statements }: FileContent,
  ids: readonly StatementId[],
): Promise<void> {
  const { rows } = await tx.query<Stored>(
    `select ids.id, coalesce(l.count, 0)::int as new_lines,
            coalesce(l.kobo, 0)::bigint as new_kobo,
            (coalesce(l.count, 0) + coalesce(k.count, 0))::int as lines,
            (coalesce(l.kobo, 0) + coalesce(k.kobo, 0))::bigint as sum_kobo
       from ${STATEMENT_IDS}
       left join (select statement_id, count(*) as count, sum(amount_kobo) as kobo
                    from statement_lines where statement_id = any($1::bigint[])
                   group by 1) as l on l.statement_id = ids.id
       left join (select statement_no, count(*) as count, sum(amount_kobo) as kobo
                    from known_lines group by 1) as k on k.statement_no = ids.no
      order by ids.no`,
    [numberArray(ids)],
  )
  for (const [index, storedTotals] of rows.entries()) {
    const readStatement = statements[index] as ReadStatement
    const { openingKobo, closingKobo, sumKobo } = readStatement
    if (storedTotals.lines !== readStatement.lines || storedTotals.sumKobo !== sumKobo) {
      throw new Error(`statement ${readStatement.no} of the file is not what was stored of it`)
    }
    if (openingKobo !== null && openingKobo + storedTotals.sumKobo !== closingKobo) {
      throw doesNotAddUp(readStatement.no, {
        openingKobo,
        sumKobo,
        closingKobo: closingKobo as Kobo,
      })
    }
    const balances =
      openingKobo === null
        ? await computeBalances(tx, bankCode, storedTotals)
        : { openingKobo, closingKobo }
    await tx.query({
      name: 'finish-statement',
      text: `update statements set new_lines = $2, opening_kobo = $3, closing_kobo = $4
              where id = $1`,
      values: [storedTotals.id, storedTotals.newLines, balances.openingKobo, balances.closingKobo],
    })
  }
}

// SQL scalar: the sum of the lines of other files between the end of the statement `b` and the end of `s`.
// Matching stores the sums of days; unmatched statements are added line by line.
const LINES_SINCE = `
  coalesce((select sum(d.lines_kobo) from reconciled_days d
             where d.bank_code = $2 and d.currency = s.currency
               and d.day > b.to_day and d.day <= s.to_day), 0)
  + coalesce((select sum(l.amount_kobo)
                from statements f join statement_lines l on l.statement_id = f.id
               where f.bank_code = $2 and f.currency = s.currency and f.matched_at is null
                 and f.id < s.id and l.booked_on > b.to_day and l.booked_on <= s.to_day), 0)`

// Computes the balances of a statement whose file has none. The closing balance is the balance before it plus
// all its new lines, including lines that are dated back. If the previous statement began no later, this
// statement opens with the balance before it. Otherwise it may also contain lines of the previous statement,
// so its opening balance is the closing balance less all its lines.
async function computeBalances(
  tx: Transaction,
  bankCode: string,
  { id, newKobo, sumKobo }: Stored,
): Promise<{ openingKobo: Kobo; closingKobo: Kobo }> {
  const { rows } = await tx.query<{ beforeKobo: Kobo; beganNoLater: boolean }>({
    name: 'balance-before-statement',
    text: `select (b.closing_kobo + ${LINES_SINCE})::bigint as before_kobo,
                  b.from_day <= s.from_day as began_no_later
             from statements s
             join statements b on b.bank_code = $2 and b.currency = s.currency
                              and b.id < s.id and b.to_day <= s.to_day
            where s.id = $1
            order by 2 desc, b.to_day desc, b.id desc limit 1`,
    values: [id, bankCode],
  })
  const previous = rows[0]
  if (!previous) return { openingKobo: kobo(0n), closingKobo: sumKobo }
  const closingKobo = kobo(previous.beforeKobo + newKobo)
  const sinceOpeningKobo = previous.beganNoLater ? newKobo : sumKobo
  return { openingKobo: kobo(closingKobo - sinceOpeningKobo), closingKobo }
}
