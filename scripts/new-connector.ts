// `npm run new-connector acme`: copies the template connector, its case and samples, its dialect and its
// contract under a new name, and registers the connector in src/banks/connectors.ts
// (docs/adding-a-bank.md). Nothing that exists is overwritten.

import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const TEMPLATES = [
  'src/banks/template/**',
  'test/banks/template/**',
  'test/banks/samples/template/**',
  'fake-bank/dialects/template.ts',
  'fake-bank/contracts/template.json',
]
const CONNECTORS = 'src/banks/connectors.ts'
const NAME = /^[a-z][a-z0-9]{1,29}$/

export class UsageError extends Error {}

// Returns the paths of the new files, in the order of the guide's steps.
export function newConnector(root: string, name: string): string[] {
  if (!NAME.test(name)) {
    throw new UsageError('The name must be 2 to 30 lower-case letters and digits, such as acme.')
  }
  const templates = globSync(TEMPLATES, { cwd: root })
    .filter((path) => statSync(join(root, path)).isFile())
    .sort((one, other) => stepOf(one) - stepOf(other) || one.localeCompare(other))
  const copies = templates.map((path) => ({ path, copy: renamed(path, name) }))
  const existing = copies.find(({ copy }) => existsSync(join(root, copy)))
  if (existing) throw new UsageError(`${existing.copy} exists: choose another name, or remove it.`)
  for (const { path, copy } of copies) {
    mkdirSync(dirname(join(root, copy)), { recursive: true })
    writeFileSync(join(root, copy), renamed(readFileSync(join(root, path), 'utf8'), name))
  }
  const registry = join(root, CONNECTORS)
  writeFileSync(registry, registered(readFileSync(registry, 'utf8'), name))
  return copies.map(({ copy }) => copy)
}

// Renames paths, identifiers, headers and keys: a copy shares no secret with the template.
function renamed(text: string, name: string): string {
  return text.replaceAll('template', name).replaceAll('TEMPLATE', name.toUpperCase())
}

function registered(text: string, name: string): string {
  const lines = text.split('\n')
  const isImport = (line: string) => /^import .* from '#banks\/.*\/connector\.ts'$/.test(line)
  const line = `import { ${name}Connector } from '#banks/${name}/connector.ts'`
  const next = lines.findIndex((each) => isImport(each) && placeOf(each) > placeOf(line))
  const last = lines.findLastIndex(isImport)
  if (last < 0) throw new Error(`${CONNECTORS} imports no connectors`)
  lines.splice(next < 0 ? last + 1 : next, 0, line)
  const table = lines.findIndex((each) => each.startsWith('const CONNECTORS'))
  const end = lines.indexOf(']', table)
  if (table < 0 || end < 0) throw new Error(`${CONNECTORS} has no table of connectors`)
  lines.splice(end, 0, `  ${name}Connector,`)
  return lines.join('\n')
}

function placeOf(line: string): string {
  return line.slice(line.indexOf("'"))
}

function stepOf(path: string): number {
  return TEMPLATES.findIndex((pattern) => path.startsWith(pattern.split('*')[0] as string))
}

if (import.meta.main) {
  const [name = '', ...others] = process.argv.slice(2)
  try {
    if (others.length > 0) throw new UsageError('Name one connector: npm run new-connector acme')
    const paths = newConnector(join(import.meta.dirname, '..'), name)
    console.log(`${paths.join('\n')}\n
Write the contract from the bank's documentation, then the rest: docs/adding-a-bank.md.
Run the suite: npm test -- --connector ${name}`)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}
