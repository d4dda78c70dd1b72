// The terms that the dashboard explains are defined in docs/glossary.md in the same words.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { withDefinitions } from '../../scripts/definitions.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const [catalogue, glossary] = [read('web/copy/en.ts'), read('docs/glossary.md')]

test('the catalogue has the definitions of the glossary (npm run generate)', () => {
  assert.equal(withDefinitions(catalogue, glossary), catalogue)
})

test('a definition that changes in the glossary changes in the catalogue', () => {
  const changed = glossary.replace('sent back to payers from suspense', 'gone')
  assert.match(
    withDefinitions(catalogue, changed),
    /name: 'Returned from suspense',\s+meaning: 'Gone\.'/,
  )
})

test('a term that the glossary lacks is refused', () => {
  const without = glossary.replace('| **credit** |', '| **kredit** |')
  assert.throws(() => withDefinitions(catalogue, without), /does not define credit/)
})

test('every guide that a view links to is a document', () => {
  const [, section = ''] = /guides: \{\n([^}]+)\}/.exec(catalogue) ?? []
  const names = [...section.matchAll(/^ +'?([\w-]+)(?:#[\w-]+)?'?:/gm)].map(([, name = '']) => name)
  assert(names.length > 20)
  for (const name of names) {
    // Reads the document with this name, from whichever of the two folders has it.
    const text = [`docs/${name}.md`, `docs/guides/${name}.md`].flatMap((path) => {
      try {
        return [read(path)]
      } catch {
        return []
      }
    })
    assert.equal(text.length, 1, name)
  }
})
