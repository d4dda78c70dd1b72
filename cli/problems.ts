// The exit codes, and the one sentence that tells the user about a failure.

import { CommanderError } from 'commander'
import { AdminProblem, UsageProblem } from '#admin/operator-command.ts'
import { ManillaConnectionError, ManillaError } from '../sdk/src/errors.ts'
import { cleanText } from './table.ts'

export const EXIT = {
  done: 0,
  refused: 1,
  usage: 2,
  unreachable: 3,
  credentials: 4,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

// A failure that a command expects, with the sentence for the user.
export class CliProblem extends Error {
  readonly exitCode: ExitCode

  constructor(message: string, exitCode: ExitCode = EXIT.refused) {
    super(message)
    this.exitCode = exitCode
  }
}

// A command failed after it had started. The advice explains how to continue without doing anything twice.
export class Unfinished extends Error {
  readonly advice: string

  constructor(cause: unknown, advice: string) {
    super(advice, { cause })
    this.advice = advice
  }
}

type Failure = {
  sentence: string
  exitCode: ExitCode
  error?: { code?: string | undefined; requestId?: string | null | undefined }
}

type FailureContext = { url: string | undefined; isInterrupted: boolean }

// Describes an expected failure. Returns undefined for an unexpected error, which is a bug and is printed in
// full.
export function describeFailure(error: unknown, context: FailureContext): Failure | undefined {
  if (error instanceof Unfinished) {
    const failure = describeFailure(error.cause, context)
    // The advice is for an unknown outcome. After a refusal the outcome is known, so no advice is added.
    const isOutcomeUnknown = failure?.exitCode === EXIT.unreachable || context.isInterrupted
    return failure && isOutcomeUnknown
      ? { ...failure, sentence: `${failure.sentence} ${error.advice}` }
      : failure
  }
  if (error instanceof CommanderError) return describeUsage(error)
  if (error instanceof CliProblem) return { sentence: error.message, exitCode: error.exitCode }
  if (error instanceof UsageProblem) return { sentence: error.message, exitCode: EXIT.usage }
  if (error instanceof AdminProblem) {
    const { message: sentence, code, isUnreachable } = error
    return { sentence, exitCode: isUnreachable ? EXIT.unreachable : EXIT.refused, error: { code } }
  }
  if (context.isInterrupted) return { sentence: 'Interrupted.', exitCode: EXIT.interrupted }
  if (error instanceof ManillaConnectionError) return describeConnection(error, context.url)
  if (error instanceof ManillaError) return describeRefusal(error, context.url)
  return undefined
}

// Turns a message of Commander, which begins with "error:", into a sentence.
function describeUsage({ code, message, exitCode }: CommanderError): Failure {
  if (exitCode === 0) return { sentence: '', exitCode: EXIT.done } // Help or version.
  if (code === 'commander.help') return { sentence: 'A command is missing.', exitCode: EXIT.usage }
  const text = cleanText(message.replace(/^error: /, ''))
    .replace(
      /^command-argument value ('.*') is invalid for argument '([\w-]+)'\./,
      '$1 is not a valid $2.',
    )
    .trim()
  const sentence = /[.?]$/.test(text) ? text : `${text}.`
  return { sentence: sentence.charAt(0).toUpperCase() + sentence.slice(1), exitCode: EXIT.usage }
}

function describeConnection(error: ManillaConnectionError, url = 'the service'): Failure {
  const why = error.code === 'timed_out' ? 'it does not answer' : reasonOf(error.cause)
  return {
    sentence: `Cannot reach ${url} (${why}). Is the service running? See manilla doctor.`,
    exitCode: EXIT.unreachable,
    error,
  }
}

// Names the fields of an invalid request. Wrong credentials and an unexpected server have a hint of their
// own.
function describeRefusal(error: ManillaError, url = 'the service'): Failure {
  if (error.status === 401) {
    const advice =
      'Check the client ID and secret (MANILLA_CLIENT_ID, MANILLA_CLIENT_SECRET), or run manilla ' +
      'login again.'
    const sentence = `${url} refused the credentials (${error.code}). ${advice}`
    return { sentence, exitCode: EXIT.credentials, error }
  }
  if (error.code === 'unreadable_response') {
    const sentence = `${url} does not answer like Manilla (HTTP ${error.status}). Check the URL.`
    return { sentence, exitCode: EXIT.unreachable, error }
  }
  const fields = error.errors.map(({ field, message }) => `${field}: ${message}`).join(' ')
  const why = fields === '' ? error.message : `The request is invalid. ${fields}`
  const request = error.requestId ? `, request ${error.requestId}` : ''
  const sentence = cleanText(`${why} (${error.code}${request})`)
  const isDown = error.status === 503
  return { sentence, exitCode: isDown ? EXIT.unreachable : EXIT.refused, error }
}

// Finds the innermost reason of an error: Node wraps the reason of a failed fetch in one or several causes.
export function reasonOf(error: unknown): string {
  const { cause, code, errors, message } = error as Error & {
    code?: string
    errors?: readonly Error[]
  }
  if (typeof code === 'string') return code === 'ECONNREFUSED' ? 'connection refused' : code
  if (errors?.[0]) return reasonOf(errors[0])
  if (cause) return reasonOf(cause)
  return cleanText(message ?? String(error))
}
