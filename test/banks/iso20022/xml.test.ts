// Reads XML from outside: XML bombs are refused quickly with a plain message, and no entity is expanded or
// fetched.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readXml, textOf } from '#banks/iso20022/xml.ts'
import { patience } from '../../support/patience.ts'

const MEGABYTE = 1_000_000
const CPU_MS_MAX = patience(1_000)

const LAUGHS = Array.from(
  { length: 10 },
  (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`,
).join('')
const MANY = Array.from({ length: 100_000 }, (_, at) => `a${at}=""`).join(' ')

const BOMBS: Record<string, [xml: string, sentence: RegExp]> = {
  'a billion laughs': [
    `<!DOCTYPE l [<!ENTITY l0 "lol">${LAUGHS}]><l>&l10;</l>`,
    /DOCTYPE is not accepted/,
  ],
  'one long entity named often': [
    `<!DOCTYPE a [<!ENTITY a "${'a'.repeat(50_000)}">]><a>${'&a;'.repeat(100_000)}</a>`,
    /DOCTYPE is not accepted/,
  ],
  'an external entity': [
    '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
    /DOCTYPE is not accepted/,
  ],
  'an external document type': [
    '<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd"><a/>',
    /DOCTYPE is not accepted/,
  ],
  'a document type after a comment': ['<!-- --><!DOCTYPE a><a/>', /DOCTYPE is not accepted/],
  'a megabyte of document type': [
    `<!DOCTYPE a [${'<!ENTITY a "b">'.repeat(65_000)}]><a/>`,
    /DOCTYPE is not accepted/,
  ],
  'an entity nobody declared': ['<a>&nbsp;</a>', /not well-formed/],
  'a hundred thousand levels': ['<a>'.repeat(100_000), /nested too deeply/],
  'a hundred thousand attributes': [`<a ${MANY}/>`, /too many attributes/],
  'an attribute without end': [`<a b="${'x'.repeat(MEGABYTE)}`, /not well-formed/],
  'a name without end': [`<${'x'.repeat(MEGABYTE)}`, /not well-formed/],
  'a comment without end': [`<a><!--${'- '.repeat(MEGABYTE / 2)}`, /not well-formed/],
  'character data without end': [`<a><![CDATA[${']'.repeat(MEGABYTE)}`, /not well-formed/],
  'more elements than any notification': [`<a>${'<b/>'.repeat(200_001)}</a>`, /too many elements/],
  'a prefix nobody declared': ['<n:a/>', /not well-formed/],
  'the same attribute twice': ['<a b="1" b="2"/>', /not well-formed/],
  'two roots': ['<a/><b/>', /not well-formed/],
  'a forbidden character': ['<a>&#1;</a>', /not well-formed/],
  'another encoding': [
    '<?xml version="1.0" encoding="EBCDIC"?><a/>',
    /UTF-8, UTF-16 or ISO-8859-1/,
  ],
  'a declaration of UTF-16 in UTF-8': ['<?xml version="1.0" encoding="utf-16"?><a/>', /declares/],
}

for (const [what, [xml, sentence]] of Object.entries(BOMBS)) {
  test(`${what}: refused soon, in plain words`, () => {
    const before = process.cpuUsage()
    const result = readXml(Buffer.from(xml))
    const { user, system } = process.cpuUsage(before)
    assert('malformed' in result)
    assert.match(result.malformed, sentence)
    assert((user + system) / 1_000 < CPU_MS_MAX, `took ${user + system} µs`)
  })
}

test('a fault is reported by its place', () => {
  assert.deepEqual(readXml(Buffer.from('<a>\n  <b></c></a>')), {
    malformed: 'The body is not well-formed XML (line 2, column 9).',
  })
})

test('the five entities of XML and numbered characters are read', () => {
  assert.equal(rootOf('<a>&lt;&amp;&gt;&quot;&apos;&#8358;&#x1F389;</a>').text, '<&>"\'₦🎉')
})

test('characters that fall across the pieces of a long text stay whole', () => {
  const text = '🎉'.repeat(100_000)
  assert.equal(rootOf(`<a>${text}</a>`).text, text)
  assert.equal(rootOf(`<ab>${text}</ab>`).text, text)
})

test('a byte order mark, comments and instructions are passed over', () => {
  const root = rootOf('\ufeff<?xml version="1.0" encoding="utf-8"?><?pi x?><a>1<!-- 2 -->3</a>')
  assert.equal(root.text, '13')
})

const NAME = '<?xml version="1.0" encoding="E"?><a>Ọlá ₦ é</a>'

test('UTF-16 is read, with a byte order mark or a declaration', () => {
  const declared = NAME.replace('"E"', '"UTF-16"')
  const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16()
  for (const text of [declared, `\ufeff${declared}`, '\ufeff<a>Ọlá ₦ é</a>']) {
    assert.equal(rootOf(Buffer.from(text, 'utf16le')).text, 'Ọlá ₦ é')
    assert.equal(rootOf(swapped(text)).text, 'Ọlá ₦ é')
  }
  const half = Buffer.from(declared, 'utf16le').subarray(0, -1)
  assert('malformed' in readXml(half))
})

test('Latin-1 is read where it is declared, and nowhere else', () => {
  const latin1Document = (encoding: string) =>
    Buffer.from(`<?xml version='1.0' encoding='${encoding}'?><a>Jos\xe9</a>`, 'latin1')
  assert.equal(rootOf(latin1Document('ISO-8859-1')).text, 'José')
  assert.equal(rootOf(latin1Document('windows-1252')).text, 'José')
  assert('malformed' in readXml(latin1Document('UTF-8')))
  assert('malformed' in readXml(Buffer.from('<a>Jos\xe9</a>', 'latin1')))
})

test('text beside elements is no value', () => {
  assert.equal(textOf(rootOf('<a><b>1<c>5</c>00</b></a>'), 'b'), undefined)
  assert.equal(textOf(rootOf('<a><b>1<!-- 5 -->00</b></a>'), 'b'), '100')
})

test("an element of another namespace is not taken for the document's own", () => {
  const root = rootOf('<a xmlns="urn:a"><b xmlns="urn:b">1</b><b>2</b></a>')
  assert.equal(textOf(root, 'b'), '2')
})

test('names such as __proto__ and constructor are ordinary names', () => {
  const root = rootOf('<a __proto__="1" constructor="2"><__proto__ toString="3"/></a>')
  assert.equal(root.attributes.get('__proto__'), '1')
  assert.equal(root.children[0]?.name, '__proto__')
  assert.equal(Object.hasOwn(Object.prototype, '1'), false)
})

// Returns the root element of an XML text, which must be readable.
function rootOf(xml: string | Buffer) {
  const result = readXml(Buffer.from(xml as string))
  assert('root' in result, 'malformed' in result ? result.malformed : '')
  return result.root
}
