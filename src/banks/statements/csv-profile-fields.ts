// The fields of a CSV profile, each read with its type; what is wrong becomes a sentence.

import type { KindRule } from './line-kinds.ts'
import { LINE_KINDS } from './statement.ts'

type Given = Readonly<Record<string, unknown>>

const LIST_MAX = 50
const PATTERN_MAX = 500

export class ProfileFields {
  readonly problems: string[] = []
  readonly #given: Given
  readonly #known = new Set<string>()

  constructor(given: unknown) {
    this.#given = isRecord(given) ? given : {}
    if (!isRecord(given)) this.problems.push('The profile must be a JSON object.')
  }

  text(name: string, shape: { pattern: RegExp; what: string; fallback?: string }): string {
    const value = this.#read(name) ?? shape.fallback
    if (typeof value === 'string' && shape.pattern.test(value)) return value
    this.#report(name, value === undefined ? 'is missing' : `must be ${shape.what}`)
    return ''
  }

  // Null says that there is none; absent means the usual one.
  optional(name: string, usual: string, read: () => string): string | null {
    const value = this.#read(name)
    if (value === undefined) return usual
    return value === null ? null : read()
  }

  choice<const T extends string>(name: string, choices: readonly T[], fallback: T | undefined): T {
    const value = this.#read(name) ?? fallback
    const choice = choices.find((each) => each === value)
    if (!choice) this.#report(name, `must be one of: ${choices.join(', ')}`)
    return choice ?? (choices[0] as T)
  }

  whole(name: string, bounds: { least: number; most: number }, fallback: number): number {
    const value = this.#read(name) ?? fallback
    const { least, most } = bounds
    if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) {
      return Number(value)
    }
    this.#report(name, `must be a whole number from ${least} to ${most}`)
    return fallback
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.#read(name) ?? fallback
    if (typeof value !== 'boolean') this.#report(name, 'must be true or false')
    return value === true
  }

  texts(name: string, isRight: (text: string) => boolean): readonly string[] {
    const texts = this.#list(name)
    for (const text of texts) {
      if (typeof text === 'string' && isRight(text)) continue
      this.#report(name, `has ${JSON.stringify(text)}, which cannot be used`)
    }
    if (texts.length === 0) this.#report(name, 'must have at least one')
    return texts.filter((text) => typeof text === 'string')
  }

  columns<T extends string>(name: string, known: readonly T[]) {
    return this.#entries(name, known, (value, field) => {
      const isPlace = Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 200
      const isHeader = typeof value === 'string' && value.trim() !== '' && value.length <= 100
      if (isPlace || isHeader) return value as string | number
      this.#report(field, 'must be a header or a number from 1 to 200')
      return undefined
    })
  }

  labels<T extends string>(name: string, known: readonly T[]) {
    return this.#entries(name, known, (value, field) => this.#pattern(value, field, ['value']))
  }

  indicators(name: string): { credit: readonly string[]; debit: readonly string[] } {
    const read = this.#entries(name, ['credit', 'debit'] as const, (value, field) => {
      const isRight = Array.isArray(value) && value.every((one) => typeof one === 'string')
      if (!isRight) this.#report(field, 'must be a list of texts')
      return isRight ? (value as string[]).map((one) => one.toUpperCase()) : undefined
    })
    return {
      credit: read.credit ?? ['C', 'CR', 'CREDIT'],
      debit: read.debit ?? ['D', 'DR', 'DEBIT'],
    }
  }

  patterns(name: string, groups: readonly string[] = []): readonly RegExp[] {
    return this.#list(name).flatMap((text) => this.#pattern(text, name, groups) ?? [])
  }

  kinds(name: string, usual: readonly KindRule[]): readonly KindRule[] {
    if (this.#read(name) === undefined) return usual
    return this.#list(name).flatMap((rule) => {
      const kind = LINE_KINDS.find((each) => isRecord(rule) && each === rule.kind)
      if (!isRecord(rule) || !kind) {
        this.#report(name, `must each have a kind, one of: ${LINE_KINDS.join(', ')}`)
        return []
      }
      const pattern = this.#pattern(rule.pattern, `${name}.pattern`, [])
      return pattern ? [{ kind, pattern }] : []
    })
  }

  // A mistyped name would otherwise leave its default in force unnoticed.
  refuseUnknown(): void {
    for (const name of Object.keys(this.#given)) {
      if (!this.#known.has(name)) this.#report(name, 'is unknown')
    }
  }

  #entries<T extends string, V>(
    name: string,
    known: readonly T[],
    read: (value: unknown, field: string) => V | undefined,
  ): Partial<Record<T, V>> {
    const value = this.#read(name) ?? {}
    if (!isRecord(value)) this.#report(name, 'must be an object')
    const found: Partial<Record<T, V>> = {}
    for (const [key, inner] of isRecord(value) ? Object.entries(value) : []) {
      const field = known.find((each) => each === key)
      if (!field) this.#report(`${name}.${key}`, `is unknown; allowed: ${known.join(', ')}`)
      const entry = field && read(inner, `${name}.${key}`)
      if (field && entry !== undefined) found[field] = entry
    }
    return found
  }

  #list(name: string): readonly unknown[] {
    const value = this.#read(name) ?? []
    if (Array.isArray(value) && value.length <= LIST_MAX) return value
    this.#report(name, `must be a list of at most ${LIST_MAX}`)
    return []
  }

  #pattern(value: unknown, field: string, groups: readonly string[]): RegExp | undefined {
    try {
      if (typeof value === 'string' && value !== '' && value.length <= PATTERN_MAX) {
        const named = [...value.matchAll(/\(\?<([A-Za-z]\w*)>/g)].map(([, group]) => group ?? '')
        const strange = named.find((group) => !groups.includes(group))
        if (strange === undefined) return new RegExp(value, 'iu')
        const allowed = groups.join(', ') || 'none'
        this.#report(field, `names the group ${JSON.stringify(strange)}; allowed: ${allowed}`)
        return undefined
      }
    } catch {
      // Not a regular expression: said below.
    }
    this.#report(field, `must be a regular expression of 1 to ${PATTERN_MAX} characters`)
    return undefined
  }

  #read(name: string): unknown {
    this.#known.add(name)
    return this.#given[name]
  }

  #report(field: string, problem: string): void {
    this.problems.push(`${field} ${problem}.`)
  }
}

function isRecord(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
