// References that people and banks see: three letters that tell what it is, and digits that are
// random, so that they do not reveal how many there are.

import { randomInt } from 'node:crypto'

const REFERENCES = 2 ** 48 - 1 // The most that randomInt draws from: 15 digits.

export function newReference(prefix: string): string {
  return `${prefix}${randomInt(REFERENCES).toString().padStart(15, '0')}`
}
