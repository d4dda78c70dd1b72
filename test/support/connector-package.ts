// A package with a connector, as npm would install it: the template, compiled, under another name.

import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
export const PACKAGE = '@acme/manilla-connector'

type Content = { packageJson?: object; files?: Record<string, string> }

export function installPackage(folder: string, name: string, { packageJson, files }: Content) {
  const place = join(folder, 'node_modules', name)
  mkdirSync(place, { recursive: true })
  const described = { name, version: '1.0.0', type: 'module', manilla: { kit: 1 } }
  const exports = { '.': { import: './connector.js' } }
  writeFileSync(
    join(place, 'package.json'),
    JSON.stringify({ ...described, exports, ...packageJson }),
  )
  for (const [file, text] of Object.entries(files ?? {})) writeFileSync(join(place, file), text)
}

// The template's own connector, called acme.
export function installTemplate(folder: string): void {
  const source = join(ROOT, 'src/banks/template')
  const files = globSync('*.ts', { cwd: source }).map((file) => [
    file.replace('.ts', '.js'),
    compiled(readFileSync(join(source, file), 'utf8')),
  ])
  const connector = "\nexport { acmeConnector as default } from './acme.js'\n"
  const { 'connector.js': main = '', ...others } = Object.fromEntries(files)
  installPackage(folder, PACKAGE, {
    files: { ...others, 'acme.js': main, 'connector.js': connector },
  })
}

function compiled(text: string): string {
  return stripTypeScriptTypes(text)
    .replaceAll('#banks/kit.ts', 'manilla/kit')
    .replaceAll(/(from '\.\/[a-z-]+)\.ts'/g, "$1.js'")
    .replaceAll('template', 'acme')
}
