// Each figure in README.md equals the figure in the document, test or file that README.md names for it.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { TAMPERINGS } from '../proof/tampering.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const readme = read('README.md').replace(/\s+/g, ' ')

function assertSays(words: string): void {
  assert(readme.includes(words), `README.md does not say: ${words}`)
}

// Returns the groups of a pattern that the file must contain.
function matchIn(path: string, pattern: RegExp): string[] {
  const match = pattern.exec(read(path))
  assert(match, `${path} has nothing like ${pattern}`)
  return match.slice(1)
}

// Returns the text of a document after this mark.
function sectionOf(path: string, mark: string): string {
  const [, section = ''] = read(path).split(`<!-- ${mark}`)
  return section
}

test('faults, acknowledgements and findings are those of the last long runs', () => {
  const path = 'docs/reliability.md'
  const run =
    /\*\*([\d,]+) faults\*\*, \d+ checks, \*\*([\d,]+) findings\*\*\.\n.*?: ([\d,]+) things/
  const [, faults, findings, acknowledged] = run.exec(sectionOf(path, 'torture: written')) ?? []
  const [, pairFaults, pairFindings] = run.exec(sectionOf(path, 'standby: written')) ?? []

  assertSays(
    `[${faults} faults](${path}#figures), ${acknowledged} acknowledgements, ${findings} findings`,
  )
  assertSays(`[${pairFaults} faults](${path}#a-primary-and-a-standby), ${pairFindings} findings`)
})

test('lost, late and repeated notifications are as many as the test sends', () => {
  const path = 'test/fake-bank/lost-notifications.test.ts'
  const [transfers = ''] = matchIn(path, /TRANSFERS = ([\d_]+)/)
  const rates = matchIn(path, /loss: ([\d.]+), delay: ([\d.]+),.*duplicate: ([\d.]+)/).map(Number)
  const percent = Math.round(100 * rates.reduce((sum, rate) => sum + rate, 0))

  assertSays(`](${path}) ${percent}% of ${transfers.replace('_', ',')} notifications`)
})

test('the verifier is as long, and is tried in as many ways, as it says', () => {
  const lines = read('verifier/verify_proof.py').trimEnd().split('\n').length
  assertSays(`[one Python file](verifier/verify_proof.py) of ${lines} lines`)
  assertSays(`in ${TAMPERINGS.length} ways`)
})

test('random steps are as many as the simulations take', () => {
  const steps = (path: string) => matchIn(path, /STEPS \?\? ([\d_]+)/)[0]?.replace('_', ',')
  const [moneyIn, moneyOut] = [
    'test/simulation/money-in.test.ts',
    'test/simulation/money-out.test.ts',
  ]
  assertSays(`${steps(moneyIn)} random steps of [money in](${moneyIn})`)
  assertSays(`and ${steps(moneyOut)} of [money out](${moneyOut})`)
})

test('CPU and ratios are those of the table in docs/performance.md', () => {
  const rows = sectionOf('docs/performance.md', 'bench: begin')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
  // Writes a row of the table as the README does: the CPU time of service and PostgreSQL together, and the
  // ratio.
  const measured = (title: string) => {
    const [, , service = '', postgres = '', , , , ratio = ''] =
      rows.find((cells) => cells[1] === title) ?? []
    const us = [service, postgres].map((cell) => Number(cell.replace(',', '')))
    const sum = us.reduce((total, each) => total + each, 0)
    return `${sum.toLocaleString('en')} µs | ${ratio === '–' ? 1 : ratio} |`
  }

  assertSays(`100 credits per request | ${measured('credits, 100 per request, cold')}`)
  assertSays(`one credit per request | ${measured('credits, one per request, cold')}`)
  assertSays(`one transaction per request | ${measured('naive: one transaction per request')}`)
  assertSays(`duplicates and events | ${measured("pgledger's pattern")}`)
  assertSays(`pgbench's TPC-B transaction | ${measured('pgbench TPC-B')}`)
})

test('the version is that of the package, the API, the SDK and the newest entry of the changelog', () => {
  const { version } = JSON.parse(read('package.json'))
  assertSays(`Version ${version} (`)
  assert.equal(JSON.parse(read('openapi.json')).info.version, version)
  assert.equal(JSON.parse(read('sdk/package.json')).version, version)
  assert.deepEqual(matchIn('CHANGELOG.md', /^## (\S+)/m), [version])
})
