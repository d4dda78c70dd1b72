// Checks of amounts, counts and numbers before anything is sent. Invalid values are usage errors.

import { readFileSync } from 'node:fs'
import { InvalidArgumentError } from 'commander'
import { CliProblem, EXIT } from './problems.ts'

const LIMIT_MAX = 100_000

export function parseAmount(text: string): string {
  const isAmount = /^(?:0|[1-9][0-9]{0,12})(?:\.[0-9]{1,2})?$/.test(text) && /[1-9]/.test(text)
  if (!isAmount)
    throw new InvalidArgumentError(
      'It is an amount in naira, such as 6000 or 6000.50: digits only, and at most 1000000000.',
    )
  return text
}

export function parseAccountNumber(text: string): string {
  if (!/^[0-9]{10}$/.test(text)) throw new InvalidArgumentError('Account numbers have 10 digits.')
  return text
}

export function parseLimit(text: string): number {
  return parseWhole(text, 1, LIMIT_MAX)
}

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => parseWhole(text, min, max)
}

function parseWhole(text: string, min: number, max: number): number {
  const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw new InvalidArgumentError(`It is a whole number from ${min} to ${max}.`)
}

export function parseHttpUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
  throw new InvalidArgumentError('It is a URL, such as http://localhost:3000/hook.')
}

// Repeated values, or one with commas.
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(',').filter((part) => part !== '')]
}

export function readBody(file: string | undefined): Record<string, unknown> {
  if (file === undefined) return {}
  const text = readOrRefuse(file)
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
      return body as Record<string, unknown>
    }
  } catch {
    // Reported below.
  }
  throw new CliProblem(
    `${file === '-' ? 'Standard input' : file} is not a JSON object.`,
    EXIT.usage,
  )
}

function readOrRefuse(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CliProblem(`Cannot read ${file} (${code}).`, EXIT.usage)
  }
}
