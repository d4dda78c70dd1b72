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
      'Northern Example Trading Co. Limited',
      'ANSARU',
    ].map(found),
    ['1', '1', '1', '1', '1', '2', '2', '3'],
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

// Each line has two spellings of one name.
const SAME_NAMES: readonly [string, string][] = [
  // Arabic names as Nigerian banks and lists write them.
  ['Mohamed Yusuf', 'Muhammad Yusuf'],
  ['MUHAMMADU YUSUFU', 'Mohammed Youssef'],
  ['Abubakar Shekau', 'Abu Bakr Shekau'],
  ['ABUBAKAR SHIKAU', 'Abu Bakr al-Shekau'],
  ['Abdulrahman Usman', 'Abd al-Rahman Uthman'],
  ['Saifuddin Lawal', 'Saif al-Din Lawal'],
  ['Hadiza Aliyu', 'Khadija Ali'],
  ['Usama bin Ladin', 'Osama bin Laden'],
  ['Bachar Djamel', 'Bashar Jamal'],
  ['Барак Хусеин', 'Barak Khusein'],
  // Yoruba and Igbo.
  ['Oluwaseun Adeyemi', 'Oluseun Adeyemi'],
  ['Seun Adeyemi', 'Oluwaseun Adeyemi'],
  ['Emeka Okafor', 'Chukwuemeka Okafor'],
  ['Chukuemeka Okafor', 'Chukwuemeka Okafor'],
  // Legal forms and abbreviations.
  ['Kaduna Example LTD', 'Kaduna Example LIMITED'],
  ['Example Plc', 'Example Public Limited Company'],
  ['EXAMPLE L.L.C.', 'Example Limited Liability Company'],
  ['ABC Co.', 'A.B.C. Company'],
  ['First Example Bank', '1st Example Bank'],
  // Initials and digits for letters.
  ['Okafor A. Emeka', 'Okafor Ada Emeka'],
  ['M. Danjuma', 'Musa Danjuma'],
  ['Mu5a Danjum4', 'Musa Danjuma'],
]

const scoreOf = (name: string, listed: string) =>
  new NameIndex([{ id: '1', names: [listed] }]).match(name, 0)?.score ?? 0

for (const [name, listed] of SAME_NAMES) {
  test(`${name} is found as ${listed}, and the other way round`, () => {
    assert.ok(scoreOf(name, listed) >= 90, `${scoreOf(name, listed)}`)
    assert.ok(scoreOf(listed, name) >= 90, `${scoreOf(listed, name)}`)
  })
}

const OTHER_NAMES: readonly [string, string][] = [
  ['Omar Abdullah', 'Amir Abdullah'],
  ['Abdullah bin Omar al-Muhammad', 'Omar bin Abdullah al-Muhammad'],
  ['Tunde Danjuma', 'Musa Danjuma'],
  ['T. Danjuma', 'Musa Danjuma'],
  ['Musa Ibrahim Bello', 'Musa Ibrahim Lawal'],
  ['Management Company Ltd', 'Kaduna Management Company Ltd'],
  ['Kaduna Pipeline Corporation', 'Kaduna Petroleum Corporation'],
  ['Kaduna Trading Ltd', 'Katsina Trading Ltd'],
]

for (const [name, listed] of OTHER_NAMES) {
  test(`${name} is not found as ${listed}`, () => {
    assert.ok(scoreOf(name, listed) < 90, `${scoreOf(name, listed)}`)
  })
}

test('a long name of hostile letters is read in little time', () => {
  for (const letters of [
    'a',
    'ab ',
    'a.',
    'a.b ',
    'bin ',
    'abd',
    '١',
    'و',
    'م',
    "'",
    'oluwa',
    '\u0301',
  ]) {
    const begun = process.cpuUsage()
    scoreOf(letters.repeat(100_000), 'Ibrahim Musa Dauda')
    assert.ok(process.cpuUsage(begun).user < 500_000, letters)
  }
})
