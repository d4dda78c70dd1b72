// Lists hostile values: those for any field, and those just beyond the limits of a field's schema. JSON
// values are text, because some of them, such as 1e309, cannot be written as a JavaScript value.

import { rightValue, type Schema } from './right-values.ts'

export const TEXTS: readonly string[] = [
  '',
  ' ',
  '\t\n',
  '\0',
  'a\0b',
  '\u001b[2J',
  '\ud800',
  'a\udc00b',
  '\ufeffx',
  '\u202eevil\u202c',
  'é'.normalize('NFD'),
  '🏦'.repeat(40),
  'ﷺ'.repeat(200),
  'Z̷̧̛͈̦̟̺͖͉̼̆̑̏̀̀a̶̛͓l̵g̸o',
  '١٢٣٤٥٦٧٨٩٠',
  '１２３',
  '0',
  '-0',
  '-1',
  '1e309',
  '1e3',
  '0x10',
  '0.001',
  '1,000',
  '9007199254740993',
  '9'.repeat(400),
  'NaN',
  'Infinity',
  'null',
  'true',
  'undefined',
  '__proto__',
  'constructor',
  "' or '1'='1",
  "'; drop table transfers; --",
  '1) union all values (null)--',
  '$1',
  '%s%n%x',
  '{{7*7}}#{7*7}<%= 7 %>',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  'x\r\nset-cookie: a=b',
  '../../../../etc/passwd',
  '..\\..\\boot.ini',
  'file:///etc/passwd',
  'http://169.254.169.254/latest/meta-data',
  'http://[::1]:22/',
  'javascript:alert(1)',
  '2026-02-30T25:61:61Z',
  '0000-00-00',
  '+275760-09-13T00:00:00.001Z',
  'x'.repeat(5_000),
  '(a+)+$',
  `${'a'.repeat(50)}!`,
]

// Values of any JSON type for a field of a body, as JSON text.
export const JSON_VALUES: readonly string[] = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '1.5',
  '0.001',
  '1e3',
  '1e309',
  '-1e309',
  '5e-324',
  '9007199254740993',
  '9'.repeat(400),
  '[]',
  '{}',
  '[null]',
  '[[]]',
  '["x"]',
  '{"x":1}',
  '{"__proto__":{"x":1}}',
  '{"toString":1,"length":-1}',
  '{"$ne":null}',
  '"\\ud800"',
  '"\\u0000"',
  '['.repeat(100) + ']'.repeat(100),
]

export const BODIES: readonly (string | Buffer)[] = [
  '',
  ' ',
  '\ufeff{}',
  'null',
  'true',
  '0',
  '1e309',
  '"x"',
  '[]',
  '[{}]',
  '{}',
  '{}{}',
  '{',
  '{"',
  '{"a":',
  '{"a":1,}',
  "{'a':1}",
  '{"a":NaN}',
  '{"a":01}',
  '{"a":"\u0001"}',
  '{"__proto__":{"isOperator":true}}',
  '{"constructor":{"prototype":{"x":1}}}',
  'a=1&b=2',
  '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
  '['.repeat(30_000),
  `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  JSON.stringify(Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`k${at}`, at]))),
  `"${'x'.repeat(70_000)}"`,
  Buffer.from([0xff, 0xfe, 0x7b, 0x00]),
  Buffer.from('{"a":"\xff"}', 'latin1'),
]

export const CONTENT_TYPES: readonly string[] = [
  '',
  'text/plain',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'application/json; charset="',
  'application/json, text/plain',
  'application/jsonp',
  'APPLICATION/JSON',
  ',;=',
  'x'.repeat(500),
]

// Text that a header can carry on the wire.
export const HEADER_TEXTS: readonly string[] = [
  '',
  ' ',
  ',',
  '"',
  '\\',
  '*',
  'W/"1"',
  '"1", "2"',
  '\xff\xfe',
  'null',
  '-1',
  '9'.repeat(400),
  "' or 1=1 --",
  '<script>',
  '../..',
  'x'.repeat(256),
  'x'.repeat(4_000),
]

// Texts for a parameter in the path. The empty text is left out, because it makes the path of another
// operation.
export const PATH_TEXTS: readonly string[] = [
  ...TEXTS.filter((text) => text !== '' && isWellFormed(text)).map(encodeURIComponent),
  '%',
  '%zz',
  '%ff',
  '%ed%a0%80',
  '%00',
  '%2e%2e%2f',
  '..;',
  ';x=1',
  '%3f',
  '%23',
  'a%2fb',
  '6f1c2f0e-3f53-4d0e-9c43-9a4a3c1b2d10',
  '0000000000',
  '000000000000000000000000000000',
  '9223372036854775808',
]

export const AUTHORIZATIONS: readonly string[] = [
  '',
  'Bearer',
  'Bearer ',
  'Bearer x',
  'Bearer x y',
  'Bearer a.b.c',
  `Bearer ${'x'.repeat(4_000)}`,
  'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJNQU4wMDAwMDAxIn0.',
  'Basic TUFOMDAwMDAwMTpzYW5kYm94LXNlY3JldA==',
  'Basic %',
  'Digest username="x"',
  '\xff',
]

export const HEADERS: readonly Record<string, string>[] = [
  { cookie: 'manilla_session=x; manilla_session=y' },
  { cookie: `manilla_session=${'x'.repeat(3_000)}` },
  { cookie: '=;;=;\xff' },
  { 'x-csrf-token': "' or 1=1 --" },
  { accept: 'text/html;q=x, */*;q=-1' },
  { 'accept-encoding': 'gzip;q=9, x' },
  { host: '[' },
  { host: '' },
  { 'x-forwarded-for': "1.1.1.1, '; --, ::::" },
  { 'x-forwarded-host': 'evil.example.com', 'x-forwarded-proto': 'javascript' },
  { 'x-http-method-override': 'DELETE' },
  { 'content-encoding': 'gzip' },
  { expect: 'x' },
  { range: 'bytes=-1' },
  { 'if-none-match': '*' },
]

function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed()
}

// Returns values at, just below and just above every limit of the schema, as JSON text, and near misses of
// its enumerated values.
export function boundaries(schema: Schema): string[] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems } = schema
  const lengths = [minLength, maxLength].flatMap((bound) => around(bound))
  const numbers = [minimum, maximum].flatMap((bound) => around(bound))
  const counts = [minItems, maxItems].flatMap((bound) => around(bound))
  const texts = [
    ...lengths.map((length) => 'x'.repeat(length)),
    ...(maxLength ? ['🏦'.repeat(maxLength)] : []), // Each character counts as two in UTF-16.
  ]
  // The items need no randomness: each choice is the least or the first.
  const item = JSON.stringify(
    rightValue(schema.items ?? {}, '', {}, { integer: (min) => min, pick: first }),
  )
  return [
    ...texts.map((text) => JSON.stringify(text)),
    ...numbers.map(String),
    ...counts.map((count) => `[${new Array(count).fill(item).join()}]`),
    ...(schema.enum ?? []).map((value) => JSON.stringify(`${value}x`)),
    ...(schema.enum ?? []).map((value) => JSON.stringify(String(value).toUpperCase())),
  ]
}

function around(bound: number | undefined): number[] {
  return bound === undefined ? [] : [bound - 1, bound, bound + 1].filter((value) => value >= 0)
}

function first<T>(items: readonly T[]): T {
  return items[0] as T
}
