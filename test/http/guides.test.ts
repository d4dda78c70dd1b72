// The running service serves the documents of docs/ as pages, and their links lead to other pages of it.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { addressOf } from '#http/reference/guides.ts'
import { toHtml } from '#http/reference/markdown.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startTestService } from '../support/running-service.ts'

const DOCS = join(import.meta.dirname, '../../docs')
const bench = closeAfterTests(await startTestService())
const read = (url: string) => bench.call({ url, token: null })
const namesIn = (folder: string) =>
  readdirSync(join(DOCS, folder))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => name.slice(0, -3))

test('every document is a page with one title, and every link on it leads to a page', async () => {
  const names = [...namesIn('.'), ...namesIn('guides')]
  const broken: string[] = []
  for (const name of names) {
    const { statusCode, body } = await read(`/docs/guides/${name}`)
    assert.equal(statusCode, 200, name)
    const [, text = ''] = /<main[^>]*>(.*)<\/main>/s.exec(body) ?? []
    assert.equal(text.match(/<h1 /g)?.length, 1, name)
    for (const [, href = ''] of text.matchAll(/href="([^"]+)"/g)) {
      const [, target = ''] = /^\/docs\/guides\/([^#]+)/.exec(href) ?? []
      const isKnown = target ? names.includes(target) : /^(?:#|https?:|mailto:|\/)/.test(href)
      if (!isKnown) broken.push(`${name}: ${href}`)
    }
  }
  assert.deepEqual(broken, [])
  assert(names.length > 40)
})

test('the menu and the search of the reference know the guides; other names are refused', async () => {
  const { body } = await read('/docs')
  assert.match(body, /<a href="\/docs\/guides\/quick-start">Quick start<\/a>/)
  const entries: string[][] = (await read('/docs/search.json')).json()
  assert(
    entries.some(
      ([, , href]) => href === '/docs/guides/going-live' || href === '/docs/guides/go-live',
    ),
  )
  for (const name of ['nowhere', '..%2Fpackage', 'README', 'decisions']) {
    const { statusCode } = await read(`/docs/guides/${name}`)
    assert.equal(statusCode, 404, name)
  }
})

test('links between documents become links between pages, and links to code become text', () => {
  const addresses = [
    ['.', 'refunds.md#cancel', '/docs/guides/refunds#cancel'],
    ['guides', '../webhooks.md', '/docs/guides/webhooks'],
    ['guides', 'quick-start.md', '/docs/guides/quick-start'],
    ['.', '../openapi.json', '/openapi.json'],
    ['.', '../src/main.ts', undefined],
    ['.', 'decisions/0001-balances-move-by-trigger.md', undefined],
    ['.', '#below', '#below'],
  ] as const
  for (const [folder, href, address] of addresses) assert.equal(addressOf(folder, href), address)
})

test('the Markdown of the documents becomes HTML, and none in it is executed', () => {
  const html = (text: string) => toHtml(text, () => '/there')
  assert.equal(html('- one\n  more\n- two'), '<ul><li>one more</li><li>two</li></ul>')
  assert.equal(html('1. one\n2. two'), '<ol><li>one</li><li>two</li></ol>')
  assert.match(html('1. one\n\n   ```sh\n   ls\n   ```\n'), /<li><p>one<\/p>\n<figure.*ls<\/code>/s)
  assert.match(html('```js day.mjs\na < b\n```'), /<code>day\.mjs<\/code>.*<code>a &lt; b<\/code>/)
  assert.match(html('| a | b |\n| --- | --- |\n| 1 \\| 2 | 3 |'), /<td>1 \| 2<\/td><td>3<\/td>/)
  assert.equal(html('> quoted'), '<blockquote><p>quoted</p></blockquote>')
  assert.equal(html('<!-- a comment -->\n\ntext'), '\n<p>text</p>')
  assert.equal(html('<b onclick="x">'), '<p>&lt;b onclick=&quot;x&quot;&gt;</p>')
  assert.equal(html('## One `two` three'), '<h2 id="one-two-three">One <code>two</code> three</h2>')
  assert.equal(html('[here](x.md)'), '<p><a href="/there">here</a></p>')
})
