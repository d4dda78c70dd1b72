// One client must not be able to keep a process busy with one text. So every regular expression of the
// service answers 20,000 hostile characters at once.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createContext, Script } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { parseSync } from 'rolldown/utils'
import type { BuiltExpression } from './support/built-expressions.ts'
import { HOSTILE_LENGTH, hostileTexts } from './support/hostile-text.ts'

const SLOW_MS = 40 // A linear expression takes a few; a quadratic one takes hundreds.
const TRIES = 3 // The least counts. It is processor time, since other processes run too.
const HOPELESS_MS = 400 // No other process delays one try for so long.
const STUCK_MS = 10_000

const files = execFileSync('git', ['ls-files', 'src', 'web', 'cli', 'sdk/src'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /\.tsx?$/.test(path))

// Modules that start something when they are loaded, and build no expression.
const PROGRAMS = ['src/main.ts', 'src/admin/main.ts', 'src/embedded/archive-segment.ts']

// The expressions of the places that build one only for a call or in a browser, as they build it.
const EXAMPLES: Readonly<Record<string, readonly RegExp[]>> = {
  'src/banks/payment-files.ts': [
    /(?:"((?:[^"]|""){0,2000})"|([^",\r\n]{0,2000}))(,|\r?\n|$)/y,
    /(?:"((?:[^"]|""){0,2000})"|([^";\r\n]{0,2000}))(;|\r?\n|$)/y,
  ],
  'src/http/headers.ts': [/^\/api\/v1\/accounts\/[^/]+\/numbers\/[^/]+$/is, /^\/dashboard\/.*$/is],
  'src/http/load-shedding.ts': [/^\/api\/Transaction\/[^/?]+\/initiate\/?(?:\?|$)/i],
  'src/http/session-cookies.ts': [/(?:^|;)\s*__Host-session=([A-Za-z0-9_-]{43})\s*(?:;|$)/],
  'src/messages/transports.ts': [/(?<![\p{L}\p{N}])ada\.obi(?![\p{L}\p{N}])/giu],
  'web/dashboard/views/accounts/account-csv.ts': [
    /(?:"((?:[^"]|"")*)"[^\S\r\n]*|([^,\r\n]*))(,|\r\n|\r|\n|$)/y,
    /(?:"((?:[^"]|"")*)"[^\S\r\n]*|([^;\r\n]*))(;|\r\n|\r|\n|$)/y,
    /(?:"((?:[^"]|"")*)"[^\S\r\n]*|([^\t\r\n]*))(\t|\r\n|\r|\n|$)/y,
  ],
}

type Found = { expression: RegExp; place: string }
// biome-ignore lint/suspicious/noExplicitAny: a node of any kind.
type Parts = Record<string, any>
type Node = Readonly<Record<string, unknown>> & { type?: string; start: number }

// Lists the expressions in a file, the patterns of its schemas, and the lines that build an expression.
function readFile(path: string): { found: Found[]; buildingLines: number[] } {
  const text = readFileSync(path, 'utf8')
  const [found, buildingLines]: [Found[], number[]] = [[], []]
  const lineOf = ({ start }: Node) => text.slice(0, start).split('\n').length
  const visit = (node: Node): void => {
    const { regex, callee, key, value } = node as Parts
    const place = () => `${path}:${lineOf(node)}`
    if (node.type === 'Literal' && regex) {
      found.push({ expression: new RegExp(regex.pattern, regex.flags), place: place() })
    }
    if (callee?.name === 'RegExp') buildingLines.push(lineOf(node))
    if (node.type === 'Property' && key.name === 'pattern' && typeof value.value === 'string') {
      found.push({ expression: new RegExp(value.value, 'u'), place: place() })
    }
    for (const child of Object.values(node).flat()) {
      if (child !== null && typeof child === 'object' && !(child instanceof RegExp))
        visit(child as Node)
    }
  }
  visit(parseSync(path, text).program as unknown as Node)
  return { found, buildingLines }
}

// Lists the patterns in the description of the API.
function describedPatterns(node: unknown): string[] {
  if (node === null || typeof node !== 'object') return []
  const { pattern } = node as { pattern?: unknown }
  const own = typeof pattern === 'string' ? [pattern] : []
  return [...own, ...Object.values(node).flatMap(describedPatterns)]
}

function builtExpressions(): Promise<BuiltExpression[]> {
  const paths = files.filter((path) => /^src\/.*\.ts$/.test(path) && !PROGRAMS.includes(path))
  const worker = new Worker(new URL('support/built-expressions.ts', import.meta.url), {
    workerData: paths,
  })
  return new Promise((resolve, reject) => {
    worker.once('message', (expressions) => {
      void worker.terminate()
      resolve(expressions)
    })
    worker.once('error', reject)
  })
}

// Returns why the expression is not linear; undefined if it is.
function slowness(expression: RegExp): string | undefined {
  const { source, flags } = expression
  const everywhere = new RegExp(source, [...new Set(`${flags}g`)].join(''))
  const once = new RegExp(source, flags)
  const uses: Readonly<Record<string, (text: string) => unknown>> = {
    test: (text) => {
      once.lastIndex = 0
      return once.test(text)
    },
    replace: (text) => text.replace(everywhere, ''),
    // matchAll() takes expressions with the flag g alone.
    ...(flags.includes('g') && {
      matchAll: (text: string) => text.matchAll(everywhere).reduce((count) => count + 1, 0),
    }),
  }
  const bestOf = (use: () => unknown): number => {
    let best = Infinity
    for (let tries = 0; tries < TRIES && best > SLOW_MS; tries++) {
      const start = process.threadCpuUsage()
      use()
      const { user, system } = process.threadCpuUsage(start)
      best = Math.min(best, (user + system) / 1_000)
      if (best > HOPELESS_MS) break
    }
    return best
  }
  const search = (): string | undefined => {
    for (const text of hostileTexts(expression)) {
      for (const [name, use] of Object.entries(uses)) {
        const ms = bestOf(() => use(text))
        if (ms <= SLOW_MS) continue
        const excerpt = JSON.stringify(`${text.slice(0, 12)}…${text.slice(-4)}`)
        return `${expression} ${name} ${excerpt} takes ${Math.round(ms)} ms`
      }
    }
    return undefined
  }
  try {
    return new Script('search()').runInContext(createContext({ search }), { timeout: STUCK_MS })
  } catch (error) {
    return `${expression}: ${error}`
  }
}

test('every regular expression of the service is linear', async () => {
  const read = files.map((path) => ({ path, ...readFile(path) }))
  const built = await builtExpressions()
  const builtPlaces = new Set(built.map(({ place }) => place))
  const unseen = read.flatMap(({ path, buildingLines }) =>
    buildingLines.map((line) => `${path}:${line}`).filter((place) => !builtPlaces.has(place)),
  )
  const withoutExample = unseen.filter((place) => !EXAMPLES[place.replace(/:\d+$/, '')])
  assert.deepEqual(withoutExample, [], 'places that build an expression: add them to EXAMPLES')
  const described = describedPatterns(JSON.parse(readFileSync('openapi.json', 'utf8')))
  const all = [
    ...read.flatMap(({ found }) => found),
    ...built.map(({ source, flags, place }) => ({ expression: new RegExp(source, flags), place })),
    ...described.map((source) => ({ expression: new RegExp(source, 'u'), place: 'openapi.json' })),
    ...Object.entries(EXAMPLES).flatMap(([place, expressions]) =>
      expressions.map((expression) => ({ expression, place })),
    ),
  ]
  const distinct = new Map(all.map((each) => [String(each.expression), each]))
  assert.ok(distinct.size > 500, `${distinct.size} expressions`)
  const slow = [...distinct.values()].flatMap(({ expression, place }) => {
    const problem = slowness(expression)
    return problem ? `${place} ${problem}` : []
  })
  assert.deepEqual(slow, [])
})

test('the hostile texts find what is not linear', () => {
  const quadratic = [
    /\s+$/,
    /\s*(-|\+|CR|DR|C|D)\.?$/i,
    /^(?:NGN|₦)\s*|\s*(?:NGN)$/i,
    /(^|[;|\t\r\n]+)(?=[\s"]*[=+\-@])/gu,
    /[^\s<>]+@[^\s<>]+/g,
    /\B(?=(?:\d{3})+$)/g,
    /^x[a-z]*[a-m]*$/,
    /a.*b.*c/s,
    /^(?:a|ab?)+c$/,
    /^(?:[a-z]+)*$/,
    /<([^<>]+)>\s*\1+$/,
  ]
  for (const expression of quadratic) assert.ok(slowness(expression), String(expression))
  for (const text of hostileTexts(/a+b/)) assert.ok(text.length >= HOSTILE_LENGTH)
})
