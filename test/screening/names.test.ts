// Matching names with a list: a listed name is found in another word order, misspelt or incomplete; other
// names are not found.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NameIndex } from '#screening/names.ts'

const index = new NameIndex([
  { id: '1', names: ['Ibrahim Musa Dauda', 'Abu Example'] },
  { id: '2', names: ['Northern Example Trading Company'] },
  { id: '3', names: ['Ansaru'] },
])
const found = (name: string) => index.match(name, 90)?.entry ?? null

test('a name is found in another order, with other letters, accents, titles and words left out', () => {
  assert.deepEqual(
    [
      'IBRAHIM MUSA DAUDA',
      'Dauda, Ibrahim Musa',
      'Ibrahím Músa Dáuda',
      'Alhaji Ibrahim Daudah',
      'Example Abu',
      'Northern Exampel Trading Company Ltd',
      'ANSARU',
    ].map(found),
    ['1', '1', '1', '1', '1', '2', '3'],
  )
})

test('other scripts, invisible characters, other letters or spaces do not hide a listed name', () => {
  for (const name of [
    'Мusа Dаudа Ibrаhim', // Cyrillic М and а.
    'Ιbrahim Μusa Dauda', // Greek Ι and Μ.
    'Ｉｂｒａｈｉｍ Ｍｕｓａ Ｄａｕｄａ',
    '𝐈𝐛𝐫𝐚𝐡𝐢𝐦 𝐌𝐮𝐬𝐚 𝐃𝐚𝐮𝐝𝐚',
    'Ibra\u200bhim Mu\u00adsa Dau\u2060da',
    'I b r a h i m M u s a D a u d a',
    'IbrahimMusaDauda',
    'Ibrahim Musadauda',
    'Iɓrahim Musa Ɗauda', // Hausa.
    'Ibráhìm Mụsa Daụda',
  ]) {
    assert.equal(found(name), '1', name)
  }
  const padded = `${'ab cd ef gh '.repeat(4)}Ibrahim Musa Dauda`
  assert.equal(index.match(padded, 90)?.entry, '1', 'words in front hide nothing')
})

test('a name that shares one word, or looks alike only in part, is not found', () => {
  for (const name of [
    'Ibrahim',
    'Ibrahim Adeyemi',
    'Musa Bello',
    'Ansaru Stores',
    'Ada Obi',
    '',
    '李',
  ]) {
    assert.equal(found(name), null, name)
  }
})

test('the same name has the same match and score, whatever was asked before', () => {
  const other = new NameIndex([{ id: '1', names: ['Ibrahim Musa Dauda', 'Abu Example'] }])
  index.match('Somebody Else', 70)

  assert.deepEqual(index.match('Ibrahim Dauda', 70), other.match('Ibrahim Dauda', 70))
  assert.equal(index.match('Ibrahim Dauda', 70)?.score, 98)
})
