// The words of all messages, in the language of MANILLA_LANGUAGE. To add a language, write copy/<tag>.ts and
// name it here (docs/translating.md).

import { en } from '#messages/copy/en.ts'
import type { Copy } from './letter.ts'

const LANGUAGES: Readonly<Record<string, Copy>> = { en }

export const LANGUAGE_NAMES = Object.keys(LANGUAGES)

export function findCopy(language: string): Copy | undefined {
  return Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : undefined
}
