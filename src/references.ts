// References that people and banks see: three letters for the kind, and random digits, so that they
// do not reveal how many there are.

import { randomInt } from 'node:crypto'

const REFERENCES = 2 ** 48 - 1 // randomInt's largest range: 15 digits.

export function newReference(prefix: string): string {
  return `${prefix}${randomInt(REFERENCES).toString().padStart(15, '0')}`
}
