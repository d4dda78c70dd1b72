// Reads the chart of accounts: the code and name of each kind of ledger account in the journal. It comes from
// the JSON file MANILLA_CHART_FILE; kinds that the file does not name keep the defaults.

import type { Report } from './setting-parsers.ts'

export type ChartEntry = { readonly code: string; readonly name: string }
export type Chart = Readonly<Record<string, ChartEntry>>

// The first digit of a code: 1 assets, 2 liabilities, 4 income, 5 costs.
export const DEFAULT_CHART: Chart = {
  bank: { code: '1000', name: 'Banks' },
  receivable: { code: '1100', name: 'Due from clients' },
  provision: { code: '1110', name: 'Allowance for doubtful debts' },
  shortfall: { code: '1150', name: 'Due from banks' },
  input_vat: { code: '1200', name: 'Input VAT' },
  wht_receivable: { code: '1210', name: 'Withholding tax receivable' },
  wht_credit: { code: '1220', name: 'Withholding tax credits' },
  collection: { code: '2000', name: 'Collection accounts' },
  pending: { code: '2010', name: 'Part payments' },
  available: { code: '2020', name: 'Available to clients' },
  subaccount: { code: '2030', name: 'Subaccounts' },
  settling: { code: '2040', name: 'In settlement' },
  reserve: { code: '2050', name: 'Reserves' },
  paying: { code: '2060', name: 'Payouts in transit' },
  refunding: { code: '2070', name: 'Refunds in transit' },
  held: { code: '2080', name: 'Held' },
  forfeited: { code: '2090', name: 'Forfeited, to be paid on' },
  suspense: { code: '2100', name: 'Suspense' },
  returning: { code: '2110', name: 'Returns in transit' },
  due_to_bank: { code: '2150', name: 'Due to banks' },
  vat_payable: { code: '2200', name: 'VAT payable' },
  fee_income: { code: '4000', name: 'Fee income' },
  bank_cost: { code: '5000', name: 'Bank charges' },
  stamp_duty: { code: '5010', name: 'Stamp duty' },
  write_off: { code: '5100', name: 'Write-offs' },
  doubtful_debt: { code: '5110', name: 'Doubtful debts' },
}

const CODE = /^[A-Za-z0-9][A-Za-z0-9./-]{0,19}$/
const NAME = /^(?=.*\S)[^\p{Cc}\p{Cs}]{1,100}$/u

type Disk = { files: { readText: (path: string) => string }; problems: string[] }

// Reads the file of the setting. Adds problems to the list.
export function loadChart(path: string | undefined, { files, problems }: Disk): Chart | undefined {
  if (!path) return DEFAULT_CHART
  const report = (sentence: string) => problems.push(`MANILLA_CHART_FILE ${sentence}`)
  let text: string
  try {
    text = files.readText(path)
  } catch (error) {
    report(`must be a readable file (${(error as { code?: string }).code})`)
    return undefined
  }
  return readChart(text, report)
}

// Parses a chart. Reports each problem in a sentence, and returns undefined if there are any.
export function readChart(text: string, report: Report): Chart | undefined {
  const problems: string[] = []
  const addProblem = (sentence: string) => problems.push(sentence)
  const entries = parse(text)
  if (!entries) {
    report('must hold a JSON object of {kind: {"code": …, "name": …}}')
    return undefined
  }
  const kinds = Object.keys(DEFAULT_CHART)
  const chart: Record<string, ChartEntry> = { ...DEFAULT_CHART }
  for (const [kind, value] of Object.entries(entries)) {
    if (!kinds.includes(kind)) {
      addProblem(`${show(kind)}: is not a kind of ledger account; use ${kinds.join(', ')}`)
      continue
    }
    const entry = readEntry(value, (sentence) => addProblem(`${kind}: ${sentence}`))
    if (entry) chart[kind] = entry
  }
  checkNames(chart, addProblem)
  for (const sentence of problems) report(sentence)
  return problems.length > 0 ? undefined : chart
}

const show = (kind: string) => JSON.stringify(kind.slice(0, 40))

// Returns the entries of the file, or undefined if it is not a JSON object.
function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// Returns the code and name of one kind of account, or reports each problem.
function readEntry(value: unknown, report: Report): ChartEntry | undefined {
  if (!isObject(value)) {
    report('must be an object with code and name')
    return undefined
  }
  const { code, name, ...unknownFields } = value
  const isCode = typeof code === 'string' && CODE.test(code)
  const isName = typeof name === 'string' && NAME.test(name)
  if (!isCode) report('code must be 1 to 20 letters, digits, points, slashes or dashes')
  if (!isName) report('name must be 1 to 100 characters, not blank, without control characters')
  for (const field of Object.keys(unknownFields))
    report(`${show(field)} is not a field: use code and name`)
  return isCode && isName ? { code, name } : undefined
}

// Checks that kinds which share a code have the same name, because they are one account.
function checkNames(chart: Chart, report: Report): void {
  const names = new Map<string, string>()
  for (const { code, name } of Object.values(chart)) {
    const nameSoFar = names.get(code)
    if (nameSoFar === undefined) names.set(code, name)
    else if (nameSoFar !== name) report(`code ${code} has two names: use one name for each code`)
  }
}
