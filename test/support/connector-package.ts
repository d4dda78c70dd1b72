// Writes a connector package into a folder's node_modules, as npm would install it: the connector template,
// compiled to JavaScript and renamed to "acme".

import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
export const PACKAGE = '@acme/manilla-connector'

type Content = { packageJson?: object; files?: Record<string, string> }

// Writes a connector package with these files. The fields of `packageJson` replace the usual ones.
export function installPackage(folder: string, name: string, { packageJson, files }: Content) {
  const packageFolder = join(folder, 'node_modules', name)
  mkdirSync(packageFolder, { recursive: true })
  const defaults = { name, version: '1.0.0', type: 'module', manilla: { kit: 1 } }
  const exports = { '.': { import: './connector.js' } }
  writeFileSync(
    join(packageFolder, 'package.json'),
    JSON.stringify({ ...defaults, exports, ...packageJson }),
  )
  for (const [file, text] of Object.entries(files ?? {})) {
    writeFileSync(join(packageFolder, file), text)
  }
}

// Installs the template's connector under the name acme.
export function installTemplate(folder: string): void {
  const source = join(ROOT, 'src/banks/template')
  const files = globSync('*.ts', { cwd: source }).map((file) => [
    file.replace('.ts', '.js'),
    compileAsAcme(readFileSync(join(source, file), 'utf8')),
  ])
  const connector = "\nexport { acmeConnector as default } from './acme.js'\n"
  const { 'connector.js': main = '', ...others } = Object.fromEntries(files)
  installPackage(folder, PACKAGE, {
    files: { ...others, 'acme.js': main, 'connector.js': connector },
  })
}

// Turns a file of the connector template into a file of the package acme: strips the types, and replaces the
// import paths and the connector's name.
function compileAsAcme(text: string): string {
  return stripTypeScriptTypes(text)
    .replaceAll('#banks/kit.ts', 'manilla/kit')
    .replaceAll(/(from '\.\/[a-z-]+)\.ts'/g, "$1.js'")
    .replaceAll('template', 'acme')
}
