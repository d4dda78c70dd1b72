// `manilla login` and `manilla logout`: checks credentials, and stores them in a file that only the user can
// read.

import type { Command } from 'commander'
import { Manilla } from '../sdk/src/sdk.ts'
import { type Options, print, type Run } from './command-context.ts'
import {
  chooseUrl,
  credentialsFile,
  isLoopback,
  parseUrl,
  removeCredentials,
  storeCredentials,
} from './credentials.ts'
import { CliProblem, EXIT } from './problems.ts'

export function addLoginCommand(program: Command, run: Run): void {
  program
    .command('login')
    .description(
      'Check credentials and store them for this user. The secret is asked for, or read from ' +
        'standard input.',
    )
    .requiredOption('--client-id <id>', 'Client ID, such as MAN0000001.')
    .action((_, command: Command) => logIn(run, command.optsWithGlobals<Options>()))
  program
    .command('logout')
    .description('Remove the stored credentials of a service.')
    .action((_, command: Command) => logOut(run, command.optsWithGlobals<Options>()))
}

// Checks the credentials with a request before it stores them.
async function logIn(run: Run, options: Options): Promise<void> {
  const { terminal } = run
  const url = chooseUrl(terminal, options.url)
  run.url = url
  if (url.startsWith('http:') && !isLoopback(url)) {
    terminal.err(`Warning: ${url} is not encrypted; the secret can be read on the way.\n`)
  }
  const clientId = options.clientId as string
  const clientSecret = await terminal.readSecret(`Client secret of ${clientId}: `)
  if (clientSecret === '') throw new CliProblem('No secret was given.', EXIT.usage)
  const credentials = { clientId, clientSecret }
  const manilla = new Manilla({
    ...credentials,
    baseUrl: url,
    fetch: terminal.fetch,
    maxRetries: 2,
  })
  // Any call would do, because each needs a token. The credentials are valid even if they lack this scope.
  await manilla
    .request('get', '/api/v1/limits', { signal: terminal.interrupted })
    .catch((error) => {
      if (error?.status !== 403) throw error
    })
  storeCredentials(terminal, parseUrl(url), credentials)
  const file = credentialsFile(terminal)
  print(run, options, {
    data: { url, clientId, file },
    text: `Signed in to ${url} as ${clientId}. Stored in ${file}.`,
  })
}

async function logOut(run: Run, options: Options): Promise<void> {
  const url = chooseUrl(run.terminal, options.url)
  if (!removeCredentials(run.terminal, url)) {
    throw new CliProblem(`No credentials are stored for ${url}.`)
  }
  print(run, options, { data: { url }, text: `Removed the credentials of ${url}.` })
}
