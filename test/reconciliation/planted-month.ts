// Makes a month of random business at two banks with their statements, and plants 1,000 differences in them,
// for planted-month.test.ts.

import type { seededRandom } from '../support/random.ts'
import { accessCsv, type CsvLine, gtbankCsv } from '../support/statement-files.ts'
import type { Books } from './books.ts'

type Random = ReturnType<typeof seededRandom>
type Credit = NonNullable<Books['credits']>[number]
type Payout = NonNullable<Books['payouts']>[number]

export type MonthLine = CsvLine & { day: string; reference: string }
// A deal: one credit or payout of the books, with its line on the bank's statement. `lines` is empty once the
// statement is made to lack the deal (lose).
type Deal = { credit?: Credit; payout?: Payout; lines: MonthLine[] }

export const MONTH = '2026-10'
export const DAYS = Array.from(
  { length: 31 },
  (_, at) => `${MONTH}-${`${at + 1}`.padStart(2, '0')}`,
)
export const OPENING_DAY = '2026-09-30'
export const OPENING_KOBO = 500_000_000n // At each bank, before its first statement.
const SIZE = { credits: 2_400, payouts: 600 }

// The words for stamp duty on statements of Nigerian banks.
const DUTIES = [
  'STAMP DUTY',
  'STAMPDUTY CHARGE',
  'STAMP DUTIES ON TRANSFER',
  'EMTL',
  'EMT LEVY',
  'FGN EMT LEVY',
  'E-LEVY',
  'ELECTRONIC MONEY TRANSFER LEVY',
  'FGN ELECTRONIC MONEY TRANSFER LEVY',
]
const NAMES = ['ADA OBI', 'MUSA BELLO', 'TUNDE ADEBAYO', 'NGOZI EZE', 'IBRAHIM SANI', 'FUNMI COLE']

// The parts of an inward transfer's narration. Without a session id, it has only the account number.
type Inward = { sessionId?: string; name?: string | undefined; number?: string | undefined }

type Bank = {
  code: string
  query: string // The query of an upload.
  csv: typeof gtbankCsv
  isNewestFirst: boolean
  firstNumber: string
  inward: (of: Inward) => string
  outward: (payout: Payout) => string
}

export const BANKS: readonly Bank[] = [
  {
    code: '058',
    query: 'bankCode=058&format=csv&profile=gtbank',
    csv: gtbankCsv,
    isNewestFirst: false,
    firstNumber: '0100000000',
    inward: ({ sessionId, name, number }) =>
      sessionId === undefined
        ? `TRANSFER TO ${number}`
        : `NIBSS Instant Payment Inward ${sessionId} RENT FROM ${name}` +
          (number === undefined ? '' : ` TO ${number}`),
    outward: ({ bankReference, reference, name }) =>
      `NIBSS Instant Payment Outward ${bankReference} ${reference} TO ${name} ACCT 0690000031`,
  },
  {
    code: '044',
    query: 'bankCode=044&format=csv&profile=access',
    csv: accessCsv,
    isNewestFirst: true,
    firstNumber: '0200000000',
    inward: ({ sessionId, name, number }) =>
      `NXG TRF FRM ${name}${number === undefined ? '' : ` TO ${number}`}` +
      (sessionId === undefined ? '' : ` SESSION ID ${sessionId}`),
    outward: ({ bankReference, reference, name }) =>
      `NXG TRF TO ${name} SESSION ID ${bankReference} REF ${reference}`,
  },
]

// How many differences of each kind are planted.
export const PLANTED = {
  missing_credit: 120,
  missing_payout: 80,
  extra_credit: 100,
  extra_debit: 60,
  wrong_credit: 120,
  wrong_payout: 80,
  duplicate: 80,
  duplicate_without_id: 60,
  duty: 100,
  shifted_day: 100,
  swapped_accounts: 50,
  swapped_payers: 50,
} as const

export const DUTY_KOBO = 5_000n

type Planting = keyof typeof PLANTED

// The month of one bank.
export type BankMonth = {
  bank: Bank
  books: Required<Pick<Books, 'bankCode' | 'credits' | 'payouts' | 'numbers'>>
  lines: MonthLine[]
  expected: string[] // The differences to be found: "kind reference amount", or "kind item amount".
  strangers: string[] // References of lines with another payer than in the books.
  shifted: string[] // References of lines of another day than in the books.
}

type Plan = {
  bank: Bank
  random: Random
  numbers: readonly string[]
  next: () => string // The reference of a line.
  received: Deal[]
  paid: Deal[]
  // Deals in which nothing is planted yet:
  plain: Deal[] // Credits without charges.
  charged: Deal[] // Credits with fee, VAT and duty.
  withoutDuty: Deal[] // Credits with fee and VAT.
  outgoing: Deal[] // Payouts.
  extra: MonthLine[]
} & Pick<BankMonth, 'expected' | 'strangers' | 'shifted'>

const CHARGES = { feeKobo: 1_000, vatKobo: 75 }

const sessionOf = (id: number) => `000013261001${`${id}`.padStart(18, '0')}`
const chargesOf = ({ feeKobo = 0, vatKobo = 0, dutyKobo = 0 }: Credit) =>
  feeKobo + vatKobo + dutyKobo

// The narration of a credit's statement line. `more` replaces the session id, payer's name or number in it.
const inward = ({ bank }: Pick<Plan, 'bank'>, credit: Credit, more: Inward = {}) => {
  const { sessionId, name, accountNumber: number } = credit
  return bank.inward({ sessionId, name, number, ...more })
}

const ownLine = ({ lines }: Deal) => lines[0] as MonthLine

// Takes a random deal (a credit or payout and its line) out of the list, for the caller to plant a
// difference in. A deal is taken only once.
function takeDeal({ random }: Plan, from: Deal[]): Deal {
  return from.splice(random.integer(0, from.length - 1), 1)[0] as Deal
}

// Plans the month of each bank, and plants the differences at the banks in turn.
export function plantMonth(random: Random): BankMonth[] {
  let serial = 0
  const next = () => `FT${`${++serial}`.padStart(9, '0')}`
  const plans = BANKS.map((bank, index) => planBank(bank, index, { random, next }))
  for (const [kind, count] of Object.entries(PLANTED)) {
    for (let index = 0; index < count; index++) {
      const plan = plans[index % plans.length] as Plan
      PLANTINGS[kind as Planting](plan, Math.floor(index / plans.length))
    }
  }
  return plans.map(({ bank, numbers, received, paid, extra, expected, strangers, shifted }) => ({
    bank,
    books: {
      bankCode: bank.code,
      credits: received.flatMap(({ credit }) => credit ?? []),
      payouts: paid.flatMap(({ payout }) => payout ?? []),
      numbers: [...numbers],
    },
    lines: [...[...received, ...paid].flatMap(({ lines }) => lines), ...extra],
    ...{ expected, strangers, shifted },
  }))
}

// Makes the credits and payouts of one bank. The ids of the banks alternate.
function planBank(
  bank: Bank,
  bankIndex: number,
  { random, next }: Pick<Plan, 'random' | 'next'>,
): Plan {
  const numbers = Array.from({ length: 100 }, (_, nth) =>
    `${Number(bank.firstNumber) + nth}`.padStart(10, '0'),
  )
  // This bank's share of the numbers from 1 to `count`: with two banks, the odd or the even ones.
  const half = (count: number) =>
    Array.from({ length: count / BANKS.length }, (_, nth) => nth * BANKS.length + bankIndex + 1)
  const using = { bank, random, numbers, next }
  const received = half(SIZE.credits).map((n, nth) => receive(n, nth, using))
  const paid = half(SIZE.payouts).map((n) => pay(n, using))
  return {
    ...{ ...using, received, paid },
    plain: received.filter(({ credit }) => !credit?.feeKobo),
    charged: received.filter(({ credit }) => credit?.dutyKobo),
    withoutDuty: received.filter(({ credit }) => credit?.feeKobo && !credit.dutyKobo),
    outgoing: [...paid],
    ...{ extra: [], expected: [], strangers: [], shifted: [] },
  }
}

type Planning = Pick<Plan, 'bank' | 'random' | 'numbers' | 'next'>

// Makes a credit. `n` numbers the credits of all banks and `nth` those of this bank. Every fourth credit of a
// bank has charges, which reduce the amount on its line; every eighth also has stamp duty.
function receive(n: number, nth: number, { bank, random, numbers, next }: Planning): Deal {
  const day = random.pick(DAYS)
  const at = `${day}T${`${random.integer(1, 20)}`.padStart(2, '0')}:15`
  const duty = nth % 8 === 0 ? { dutyKobo: Number(DUTY_KOBO) } : {}
  const credit: Credit = {
    id: (Date.parse(`${at}Z`) / 60_000) * 10_000 + n, // Grows with the time, as the service's ids do.
    sessionId: sessionOf(n),
    amountKobo: 1_000_000 + n * 100 + random.integer(0, 99), // All different.
    at,
    accountNumber: random.pick([...numbers]),
    name: random.pick(NAMES),
    ...(nth % 4 === 0 ? { ...CHARGES, ...duty } : {}),
  }
  const kobo = BigInt(credit.amountKobo - chargesOf(credit))
  return {
    credit,
    lines: [{ day, kobo, reference: next(), narration: inward({ bank }, credit) }],
  }
}

// Makes a payout.
function pay(id: number, { bank, random, next }: Planning): Deal {
  const day = random.pick(DAYS)
  const payout: Payout = {
    id,
    reference: `PYT${`${id}`.padStart(15, '0')}`,
    bankReference: sessionOf(900_000 + id),
    amountKobo: 300_000 + id * 100 + random.integer(0, 99),
    at: `${day}T12:15`,
    name: random.pick(NAMES),
  }
  const [kobo, narration] = [BigInt(-payout.amountKobo), bank.outward(payout)]
  return { payout, lines: [{ day, kobo, reference: next(), narration }] }
}

// Plants a deal that is missing in the statement, by removing its lines. For a credit with charges, two
// differences are expected: the credit and its charges.
function lose(plan: Plan, from: Deal[]): void {
  const deal = takeDeal(plan, from)
  const { credit, payout } = deal
  const item = credit ? `credit ${credit.id}` : `payout ${payout?.id}`
  const charges = credit ? chargesOf(credit) : 0
  plan.expected.push(`missing_at_bank ${item} ${-ownLine(deal).kobo - BigInt(charges)}`)
  if (charges > 0) plan.expected.push(`missing_at_bank charges ${credit?.id} ${charges}`)
  deal.lines = []
}

// Plants a wrong amount: changes the amount of a deal's line by one of the kobo values `by`.
function change(
  plan: Plan,
  from: Deal[],
  { kind = 'amount_differs', by = [-500, -1, 1, 70_000] } = {},
) {
  const line = ownLine(takeDeal(plan, from))
  const kobo = BigInt(plan.random.pick(by))
  line.kobo += kobo
  plan.expected.push(`${kind} ${line.reference} ${kobo}`)
}

// Plants a line that the books do not have; `kind` is the kind of the difference to be found.
function add(plan: Plan, kind: string, line: Omit<MonthLine, 'reference'>): void {
  const reference = plan.next()
  plan.extra.push({ ...line, reference })
  plan.expected.push(`${kind} ${reference} ${line.kobo}`)
}

// Repeats a deal's line. The duplicate is the one that comes second in time, which is first in a newest-first
// file.
function repeat(plan: Plan, deal: Deal): void {
  const [line, reference] = [ownLine(deal), plan.next()]
  plan.extra.push({ ...line, reference })
  const second = plan.bank.isNewestFirst ? line.reference : reference
  plan.expected.push(`duplicate_at_bank ${second} ${line.kobo}`)
}

const isFourth = (at: number) => at % 4 === 0

const PLANTINGS: Readonly<Record<Planting, (plan: Plan, at: number) => void>> = {
  missing_credit: (plan, at) => lose(plan, isFourth(at) ? plan.withoutDuty : plan.plain),
  missing_payout: (plan) => lose(plan, plan.outgoing),
  extra_credit: (plan, at) => {
    const kobo = BigInt(plan.random.integer(1, 900_000))
    const sessionId = sessionOf(800_000 + Number(plan.bank.code) * 1_000 + at)
    const narration = plan.bank.inward({ sessionId, name: 'A STRANGER' })
    add(plan, 'missing_in_books', { day: plan.random.pick(DAYS), kobo, narration })
  },
  extra_debit: (plan, at) => {
    const kobo = BigInt(-plan.random.integer(1, 200_000))
    const line = { day: plan.random.pick(DAYS), kobo, narration: `CASH ${at}` }
    add(plan, 'unexplained_debit', line)
  },
  // Every fourth time the bank withheld more or less of a credit than it reported. Otherwise the line has
  // another amount than the credit.
  wrong_credit: (plan, at) =>
    isFourth(at)
      ? change(plan, plan.charged, { kind: 'fee_differs', by: [-500, -1, 1] })
      : change(plan, plan.plain),
  wrong_payout: (plan) => change(plan, plan.outgoing),
  duplicate: (plan, at) => repeat(plan, takeDeal(plan, isFourth(at) ? plan.charged : plan.plain)),
  duplicate_without_id: (plan) => {
    const deal = takeDeal(plan, plan.plain)
    const { name, accountNumber: number } = deal.credit as Credit
    ownLine(deal).narration = plan.bank.inward({ name, number })
    repeat(plan, deal)
  },
  duty: (plan, at) => {
    const narration = DUTIES[at % DUTIES.length] as string
    add(plan, 'fee_differs', { day: plan.random.pick(DAYS), kobo: -DUTY_KOBO, narration })
  },
  // The bank books the credit one or two days later than the service.
  shifted_day: (plan) => {
    const early = plan.plain.filter((deal) => DAYS.indexOf(ownLine(deal).day) < DAYS.length - 2)
    const deal = plan.random.pick(early)
    plan.plain.splice(plan.plain.indexOf(deal), 1)
    const line = ownLine(deal)
    line.day = DAYS[DAYS.indexOf(line.day) + plan.random.integer(1, 2)] as string
    plan.shifted.push(line.reference)
  },
  swapped_accounts: (plan) => {
    const deal = takeDeal(plan, plan.plain)
    const [line, credit] = [ownLine(deal), deal.credit as Credit]
    const number = plan.random.pick(plan.numbers.filter((other) => other !== credit.accountNumber))
    line.narration = inward(plan, credit, { number })
    plan.expected.push(`wrong_account ${line.reference} ${line.kobo}`)
    plan.expected.push(`missing_at_bank credit ${credit.id} ${-line.kobo}`)
  },
  swapped_payers: (plan) => {
    const deal = takeDeal(plan, plan.plain)
    const credit = deal.credit as Credit
    const name = plan.random.pick(NAMES.filter((other) => other !== credit.name))
    ownLine(deal).narration = inward(plan, credit, { name })
    plan.strangers.push(ownLine(deal).reference)
  },
}
