// `npm run new-connector acme`: begins a connector for a bank (docs/adding-a-bank.md). Copies the template
// connector, its test case and samples, its dialect of the fake bank and its contract under the new name, and
// registers the connector in src/banks/connectors.ts. Overwrites nothing.

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

// Copies the template connector's files under the new name, and adds the connector to the registry. Returns
// the paths of the new files, in the order of the guide's steps.
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

// The registry with the import of the new connector, in alphabetical order, and its entry in the table.
function registered(text: string, name: string): string {
  const lines = text.split('\n')
  const isImport = (line: string) => /^import .* from '#banks\/.*\/connector\.ts'$/.test(line)
  const line = `import { ${name}Connector } from '#banks/${name}/connector.ts'`
  const following = lines.findIndex((other) => isImport(other) && sourceOf(other) > sourceOf(line))
  const lastImport = lines.findLastIndex(isImport)
  if (lastImport < 0) throw new Error(`${CONNECTORS} imports no connectors`)
  lines.splice(following < 0 ? lastImport + 1 : following, 0, line)
  const table = lines.findIndex((other) => other.startsWith('const CONNECTORS'))
  const end = lines.indexOf(']', table)
  if (table < 0 || end < 0) throw new Error(`${CONNECTORS} has no table of connectors`)
  lines.splice(end, 0, `  ${name}Connector,`)
  return lines.join('\n')
}

// The path that an import names.
function sourceOf(line: string): string {
  return line.slice(line.indexOf("'"))
}

// The step of the guide that a file belongs to.
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
