// Compares the name of an account with the name that belongs to its BVN or NIN.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isSamePerson, scoreNames } from '#identity/names.ts'

const SAME: readonly (readonly [account: string, person: string])[] = [
  ['Ada Obi', 'OBI ADA'], // Surname first.
  ['Ada Obi', 'Ada Ngozi Obi'], // A middle name left out.
  ['Ngozi Ada Obi', 'OBI, ADA NGOZI'],
  ['Olúṣẹ́gun Ọbásanjọ́', 'OLUSEGUN OBASANJO'], // Tone marks and dots below.
  ['Ọlá Adébáyọ̀', 'ADEBAYO OLA'],
  ['Alhaji Musa Yar’Adua', "MUSA YAR'ADUA"],
  ['Mrs. Funmi Ade-Ojo', 'ADE OJO FUNMI'],
  ['Oluwa Seun Bello', 'BELLO OLUWASEUN'], // Written as one word or two.
  ['Oluwaseun Bello', 'BELLO OLUWA SEUN'],
  ['Muhammad Ibrahim', 'MUHAMMED IBRAHIM'], // One letter of a long name.
  ['Chukwuemeka Okafor', 'CHUKWUEMEKA OKAFOR  '],
  ['Ada N. Obi', 'ADA NGOZI OBI'],
  ['ｎｇｏｚｉ Adichie', 'Ngozi Adichie'],
]

const OTHER: readonly (readonly [account: string, person: string])[] = [
  ['Ada Obi', 'ANOTHER PERSON'],
  ['Ada Obi', 'ADA OKAFOR'],
  ['Ada', 'ADA OBI'], // A first name proves nothing.
  ['A O', 'ADA OBI'], // Nor do initials.
  ['A. Obi', 'ADA OBI'],
  ['Ada Obi', 'ADAEZE OBI'], // A person decides.
  ['Musa Ali', 'MUSI ALI'], // Short words differ by more than spelling.
  ['Ada Ada', 'ADA OBI'],
  ['', 'ADA OBI'],
  ['Ada Obi', ''],
  ['!!!', '!!!'],
  ['Mr Mrs Dr', 'MR MRS DR'], // Titles are no names.
]

for (const [account, person] of SAME) {
  test(`${account} is ${person.trim()}`, () => {
    assert(isSamePerson(scoreNames(account, person)), `${scoreNames(account, person)}`)
  })
}

for (const [account, person] of OTHER) {
  test(`${account || 'no name'} is not ${person || 'no name'}`, () => {
    assert(!isSamePerson(scoreNames(account, person)), `${scoreNames(account, person)}`)
  })
}

const word = fc.stringMatching(/^[A-Z]{3,12}$/)

test('the order and the case of words never count, and a further name of the person never harms', () => {
  fc.assert(
    fc.property(fc.uniqueArray(word, { minLength: 2, maxLength: 4 }), word, (words, further) => {
      const name = words.join(' ')
      const reversed = words.toReversed().join(' ').toLowerCase()
      // The name's score against itself is the highest possible one. It is below 100 if too few words are
      // left to compare, for example because scoring ignores titles.
      const score = scoreNames(name, reversed)
      return score === scoreNames(name, name) && scoreNames(name, `${reversed} ${further}`) >= score
    }),
  )
})

test('any text has a score from 0 to 100, and nothing is the same person as no name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (one, other) => {
      const score = scoreNames(one, other)
      return Number.isInteger(score) && score >= 0 && score <= 100 && scoreNames(one, '') === 0
    }),
  )
})
