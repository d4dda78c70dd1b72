// Applies the rules of tidy-*.ts to every file of the repository. Also applies each rule to a file that
// breaks it, so that each rule is known to work.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { test } from 'node:test'
import { CAPABILITIES, withCapabilities } from '../scripts/capabilities.ts'
import {
  CHECKED_LONG,
  FIRST,
  isLong,
  LONG_ALONE,
  LONG_BATCHED,
  matchesAny,
} from '../scripts/test-sets.ts'
import { importCycles, imports } from './tidy-imports.ts'
import * as rules from './tidy-rules.ts'
import { words } from './tidy-words.ts'

const ROOT = join(import.meta.dirname, '..')
const NOT_OURS = ['node_modules', '.git', '.env', 'data', 'build', 'dist', 'coverage']
// Matches test files that the test runner would not find: outside of test/, or with another ending.
const TESTS_ELSEWHERE = /^(?!test\/).*\.test\.\w+$|[._-](?:spec|tests)\.\w+$|\.test\.(?!ts$)\w+$/
const pathsInDocs = rules.pathsInDocs((path) => existsSync(join(ROOT, path)))
const files = repositoryPaths().flatMap(readText)

const CHECKS: readonly (readonly [promise: string, rule: rules.Rule])[] = [
  ['folders import only what they may', imports],
  ['nothing banned is used', rules.bans],
  ['what is for some routes alone has a scope', rules.scopes],
  ['files and lines stay short', rules.size],
  ['functions stay short', rules.functionLength],
  ['every language is complete, as the compiler sees it', rules.languages],
  ['beyond five, parameters are one object', rules.parameters],
  ['every file opens with its purpose', rules.opening],
  ['files are named by their noun, in kebab-case', rules.names],
  ['nothing belongs to one machine only', rules.elsewhere],
  ['every path that the documents name exists', pathsInDocs],
  ['every invariant has a test', rules.invariantsAreTested],
  ['variables are nouns, and comments name their actor', words],
]

for (const [promise, rule] of CHECKS) {
  test(promise, () => {
    const faults = files.flatMap(rule)
    assert(faults.length === 0, `\n${faults.join('\n')}`)
  })
}

test('no imports form a cycle', () => {
  const faults = importCycles(files)
  assert(faults.length === 0, `\n${faults.join('\n')}`)
})

test('the rule against import cycles notices one, of types and across folders too', () => {
  const broken = [
    { path: 'src/db/a.ts', text: "import type { B } from './b.ts'" },
    { path: 'src/db/b.ts', text: "import { c } from '#http/c.ts'" },
    { path: 'src/http/c.ts', text: "import './d.ts'\nawait import('#db/a.ts')" },
    { path: 'src/http/d.ts', text: "import '#db/e.ts'" },
  ]
  const cycle = 'src/db/a.ts → src/db/b.ts → src/http/c.ts → src/db/a.ts: an import cycle'
  assert.deepEqual(importCycles(broken), [cycle])
})

test('ARCHITECTURE.md shows the capabilities as they are declared', () => {
  const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
  assert.equal(text, withCapabilities(text), 'run npm run generate')
})

test('capabilities use only those above them, so that no two use each other', () => {
  const names = Object.keys(CAPABILITIES)
  for (const [at, name] of names.entries()) {
    for (const used of CAPABILITIES[name]?.uses ?? []) {
      assert(names.indexOf(used) < at && names.includes(used), `${name} uses ${used}`)
    }
  }
})

test('every test file is run, by npm test or as a long one, and every pattern of these has files', () => {
  const tests = globSync('test/**/*.test.ts', { cwd: ROOT })
  const unrun = files.map(({ path }) => path).filter((path) => TESTS_ELSEWHERE.test(path))
  assert.deepEqual(unrun, [], 'outside test/, or named otherwise')
  for (const pattern of [...LONG_ALONE, ...LONG_BATCHED, ...CHECKED_LONG, ...FIRST]) {
    assert(
      tests.some((path) => matchesGlob(path, pattern)),
      `${pattern} matches nothing`,
    )
  }
  const checked = tests.filter((path) => matchesAny(path, CHECKED_LONG))
  assert.deepEqual(
    checked.filter((path) => !isLong(path)),
    [],
    'checked anyway',
  )
  const long = tests.filter(isLong)
  assert(long.length > 0 && long.length < tests.length / 2, 'most tests are not long')
})

test('the rules see the whole repository', () => {
  const seen = files.map(({ path }) => path)
  for (const path of ['src/config/config.ts', 'test/tidy.test.ts', 'package-lock.json', '.npmrc']) {
    assert(seen.includes(path), path)
  }
  assert(seen.some((path) => path.startsWith('db/migrations/')))
  assert(existsSync(join(ROOT, 'docs/invariants.md')), 'docs/invariants.md is missing')
})

const long = (lines: number) => '  step()\n'.repeat(lines)

// Files that break a rule: the rule, the path, the text, and how the fault begins.
const BROKEN: readonly (readonly [rules.Rule, string, string, string])[] = [
  [imports, 'src/db/a.ts', "import { x } from '#payouts/b.ts'", '1: imports #payouts/b.ts: db/'],
  [imports, 'src/db/c/a.ts', "\nimport '#http/b.ts'", '2: imports #http/b.ts: db/ may not'],
  [imports, 'src/db/c/a.ts', "import { x } from '../b.ts'", '1: imports ../b.ts: another'],
  [imports, 'src/http/a.ts', "import { x } from './routes/b.ts'", '1: imports ./routes/b.ts'],
  [imports, 'src/banks/a.ts', "await import('#db/b.ts')", '1: imports #db/b.ts: banks/'],
  [imports, 'src/banks/a.ts', "export * from '#ledger/b.ts'", '1: imports #ledger/b.ts'],
  [imports, 'src/log.ts', "import {\n  x,\n} from '#db/b.ts'", '3: imports #db/b.ts: a file at'],
  [
    imports,
    'src/records/a.ts',
    "import '#access/b.ts'",
    '1: imports #access/b.ts: records may not use',
  ],
  [
    imports,
    'src/records/a.ts',
    "import '#http/b.ts'",
    '1: imports #http/b.ts: only routes and views',
  ],
  [
    imports,
    'src/records/routes.ts',
    "import '#workers/loop.ts'",
    '1: imports #workers/loop.ts: only workers',
  ],
  [
    imports,
    'src/access/a.ts',
    "import '#records/views.ts'",
    '1: imports #records/views.ts: only routes and views',
  ],
  [
    imports,
    'src/access/workers.ts',
    "import '#records/workers.ts'",
    "1: imports #records/workers.ts: a room's workers",
  ],
  [imports, 'src/records/a.ts', "import '#admin/b.ts'", '1: imports #admin/b.ts: a room'],
  [imports, 'src/new/a.ts', "import { x } from '#db/b.ts'", '1: imports #db/b.ts: say in'],
  [imports, 'web/pay/a.tsx', "import '#money.ts'", '1: imports #money.ts: web/ knows'],
  [imports, 'web/pay/a.tsx', "import '../../src/a.ts'", '1: imports ../../src/a.ts: an app'],
  [imports, 'web/pay/a.tsx', "import '../desk/a.ts'", '1: imports ../desk/a.ts: an app of'],
  [imports, 'web/a.ts', "import './pay/preview.tsx'", '1: imports ./pay/preview.tsx: an app'],
  [imports, 'sdk/src/a.ts', "import '../../src/a.ts'", '1: imports ../../src/a.ts: sdk/ knows'],
  [imports, 'cli/a.ts', "import '#money.ts'", '1: imports #money.ts: cli/ knows only'],
  [imports, 'cli/a.ts', "import '../src/a.ts'", '1: imports ../src/a.ts: cli/ knows only'],
  [imports, 'src/a.ts', "import '../sdk/src/a.ts'", "1: imports ../sdk/src/a.ts: another folder's"],
  [imports, 'web/a.ts', "import './pay/a.ts'", '1: imports ./pay/a.ts: an app of web/'],
  [rules.bans, 'web/pay/a.tsx', 'root.innerHTML = text', '1: innerHTML: text becomes'],
  [rules.bans, 'src/a.ts', '\nread(process.env.PORT)', '2: process.env: settings'],
  [rules.bans, 'src/a.ts', 'const now = new Date()', '1: new Date(): the clock'],
  [
    rules.bans,
    'src/fees/fee-routes.ts',
    'withTransaction(db, work)',
    '1: withTransaction(: a write',
  ],
  [rules.bans, 'src/a.ts', 'const now = Date.now', '1: Date.now: the clock'],
  [rules.bans, 'src/a.ts', 'parseFloat(amount)', '1: parseFloat(: money'],
  [rules.bans, 'src/a.ts', '(1.5).toFixed(2)', '1: .toFixed(: money'],
  [
    rules.bans,
    'src/payouts/a.ts',
    '`\n  INSERT INTO\n  transfers`',
    '2: INSERT INTO\n  transfers: only',
  ],
  [
    rules.bans,
    'src/payouts/a.ts',
    "new CopyTarget<A, B>('transfers', {",
    "1: CopyTarget<A, B>('transfers: only",
  ],
  [rules.bans, 'src/a.ts', '\nexport const enum Colour {}', '2: export const enum C: use a union'],
  [rules.bans, 'src/a.ts', "'where x.retry_at <= $1'", '1: retry_at <: a wrong clock'],
  [rules.bans, 'src/a.ts', 'if (pausedUntil > now) {', '1: pausedUntil >: a wrong clock'],
  [rules.bans, 'db/a.sql', `-- TO${'DO'}: later`, `1: TO${'DO'}: do it`],
  [rules.bans, 'test/a.test.ts', `test${'.skip'}('x')`, '1: .skip'],
  [rules.bans, 'test/a.test.ts', `test('x', {${' only'}: true })`, '1: { only'],
  [rules.bans, 'test/a.test.ts', '\nafter(close)', '2: after(: a hook'],
  [rules.bans, 'test/a.test.ts', '\ntest.after(close)', '2: test.after(: a hook'],
  [rules.bans, 'test/a.test.ts', 'beforeEach(async () => {', '1: beforeEach(: a hook'],
  [rules.size, 'src/a.ts', `\n${'x'.repeat(111)}`, '2: wider than 110'],
  [rules.size, 'db/functions/a.sql', '\n'.repeat(601), '601: longer than 600'],
  [rules.size, 'web/pay/a.css', '\n'.repeat(601), '601: longer than 600'],
  [rules.languages, 'web/copy/fr.ts', 'export const appStrings = {}', '1: export type Language'],
  [rules.functionLength, 'web/a.tsx', `function A() {\n${long(71)}}`, '1: a function of 71'],
  [rules.functionLength, 'src/a.ts', `function a() {\n${long(71)}}`, '1: a function of 71'],
  [
    rules.functionLength,
    'src/a.ts',
    `const a = async () => {\n${long(71)}}`,
    '1: a function of 71',
  ],
  [rules.functionLength, 'src/a.ts', `function a(\n  b,\n): c {\n${long(71)}}`, '3: a function'],
  [
    rules.functionLength,
    'src/a.ts',
    `class A {\n  async b() {\n${long(71)}  }\n}`,
    '2: a function',
  ],
  [
    rules.parameters,
    'src/a.ts',
    'function a(b, c, d, e, f, g) {}',
    '1: a function of 6 parameters',
  ],
  [
    rules.parameters,
    'web/a.tsx',
    '\nconst a = (b, c: Map<D, E>, f, g, h, i = 1) => 2',
    '2: a function of 6',
  ],
  [
    rules.parameters,
    'src/a.ts',
    'class A {\n  async b(\n' +
      '    c: D, // So, so.\n    { e, f }: G,\n    h: I,\n    j: K,\n    l: M,\n    n: O,\n  ): P ' +
      '{\n  }\n}',
    '2: a function of 6 parameters',
  ],
  [rules.opening, 'src/a.ts', 'export {}', '1: opens with'],
  [rules.opening, 'fake-bank/a.ts', 'export {}', '1: opens with'],
  [rules.opening, 'web/pay/a.tsx', 'export {}', '1: opens with'],
  [rules.opening, 'web/pay/a.css', 'a {}', '1: opens with'],
  [rules.opening, 'db/migrations/0001_a.sql', 'create table a ();', '1: opens with'],
  [rules.names, 'src/db/utils.ts', '', '1: utils says nothing'],
  [rules.names, 'web/pay/BankList.tsx', '', '1: file names are kebab'],
  [rules.names, 'src/db/bankCodes.ts', '', '1: file names are kebab'],
  [rules.names, 'db/migrations/1-a.sql', '', '1: file names are NNNN'],
  [rules.elsewhere, 'README.md', `see ${'/work'}/main`, '1: names a path'],
  [rules.elsewhere, 'docs/a.md', `npm --registry https://${'registry'}.example.org`, '1: names a'],
  [rules.elsewhere, '.npmrc', 'registry=https://example.org', '1: fixes a registry'],
  [rules.elsewhere, 'package-lock.json', '"resolved": "https://x/y.tgz"', '1: pins where'],
  [pathsInDocs, 'docs/decisions/a.md', '\n`src/no-such-file.ts`', '2: `src/no-such-file.ts` does'],
  [
    rules.invariantsAreTested,
    'docs/invariants.md',
    '| I1 | `test/a.ts` | x | |',
    '1: an invariant',
  ],
  [rules.scopes, 'src/a/b-routes.ts', "\napp.addHook('preHandler', x)", '2: .addHook('],
  [rules.scopes, 'src/a/b-routes.ts', 'app.addContentTypeParser()', '1: .addContentType'],
  [words, 'src/a.ts', '\nconst given = f()', '2: given is no noun'],
  [words, 'web/a.tsx', 'function f(a: B, shown: C) {}', '1: shown is no noun'],
  [words, 'test/a.ts', 'const { a, ...asked } = b', '1: asked is no noun'],
  [words, 'src/a.ts', 'f()\n// Whoever waits is refused.', '2: // W'],
  [words, 'test/a.ts', `x: y ${'//'} Of the answer.`, `1: ${'//'} Of`],
  [words, 'test/a.test.ts', "\ntest('whoever waits is refused', f)", '2: the name of a test'],
  [words, 'db/migrations/0001_a.sql', `a text, ${'--'} Whose it is.`, `1: ${'--'} Whose`],
]

for (const [rule, path, text, reason] of BROKEN) {
  test(`a rule notices ${JSON.stringify(text.slice(0, 40))} in ${path}`, () => {
    const faults = rule({ path, text })
    assert.equal(faults.length, 1)
    assert(faults[0]?.startsWith(`${path}:${reason}`), faults[0])
  })
}

const RIGHT: readonly (readonly [rules.Rule, string, string])[] = [
  [imports, 'src/payouts/file-routes.ts', "import { x } from '#http/b.ts'\nimport './c.ts'"],
  [imports, 'src/main.ts', "import { x } from '#http/app.ts'"],
  [imports, 'src/payouts/a.ts', "import { x } from '#log.ts'\nimport pg from 'pg'"],
  [imports, 'src/access/a.ts', "import '#records/b.ts'\nimport './c.ts'"],
  [imports, 'src/payouts/workers.ts', "import '#workers/loop.ts'\nimport '#credits/b.ts'"],
  [imports, 'web/pay/a.tsx', "import '../../sdk/src/a.ts'"],
  [imports, 'sdk/src/resources/a.ts', "import '../b.ts'"],
  [imports, 'web/pay/views/a.tsx', "import '../b.tsx'\nimport '../../money.ts'"],
  [rules.bans, 'src/a.ts', '// never `process.env`\nconst at = new Date(text) // not Date.now()'],
  [rules.bans, 'src/ledger/a.ts', '`insert into transfers`'],
  [rules.bans, 'src/a.ts', "new CopyTarget('credits', { a })"],
  [rules.bans, 'src/a.ts', '`select from transfers`; `insert into transfers_seen`'],
  [rules.size, 'web/copy/fr.ts', '\n'.repeat(301)],
  [imports, 'web/copy.ts', "export * from './copy/en.ts'"],
  [rules.languages, 'web/copy/fr.ts', "export type Language = Complete<typeof import('./fr.ts')>"],
  [rules.functionLength, 'src/a.ts', `function a({\n  b,\n}: C) {\n${long(70)}}`],
  [rules.functionLength, 'src/a.ts', `const a = {\n${long(71)}}`],
  [
    rules.parameters,
    'src/a.ts',
    'function a(\n  b: Map<C, D>,\n  { e, f }: G,\n  h: (i: J, k: L) => M,\n) {}',
  ],
  [rules.parameters, 'src/a.ts', 'call(a, b, c, d)\nif (max(a, b, c, d)) {\n}'],
  [rules.names, 'test/ledger/post.simulation.test.ts', ''],
  [
    pathsInDocs,
    'README.md',
    '`src/config/config.ts`, `src/config/config.ts:12`, `test/`, `src/<folder>/x.ts`',
  ],
  [rules.invariantsAreTested, 'docs/invariants.md', '| I1 | s | `db/` | `test/a.test.ts` |'],
  [words, 'test/a.ts', 'a.told(b.kept, { said: c, heard: d })\ntype E = { a: F; taken?: G }'],
  [words, 'test/a.ts', "f('given', `(told)`) // Waits for whoever (told) it."],
  [words, 'test/a.ts', 'for (const { told: report, kept: rows } of all) f(report, rows)'],
]

for (const [rule, path, text] of RIGHT) {
  test(`no rule minds ${JSON.stringify(text.slice(0, 40))} in ${path}`, () => {
    assert.deepEqual(rule({ path, text }), [])
  })
}

// Returns the files that git would commit or, without git, all files outside of folders such as node_modules.
function repositoryPaths(): string[] {
  try {
    const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
    const answer = execFileSync('git', list, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' })
    const paths = answer.split('\0').filter((path) => path !== '')
    if (paths.includes('package.json')) return paths
  } catch {
    // There is no git, or this is an unpacked archive.
  }
  const exclude = (name: string) => NOT_OURS.includes(name.split('/')[0] as string)
  return [...globSync('**/*', { cwd: ROOT, exclude }), ...globSync('.*', { cwd: ROOT, exclude })]
}

// Reads a file of the repository. Binary files and folders are left out.
function readText(path: string): rules.Source[] {
  const place = join(ROOT, path)
  if (!existsSync(place) || !statSync(place).isFile()) return []
  const bytes = readFileSync(place)
  return bytes.subarray(0, 8000).includes(0) ? [] : [{ path, text: bytes.toString('utf8') }]
}
