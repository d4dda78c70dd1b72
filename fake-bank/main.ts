// `npm run fake-bank -- …`: runs a simulated bank until Ctrl-C, and prints how to point Manilla at
// it.

import { writeFileSync } from 'node:fs'
import { startFakeBank } from './fake-bank.ts'
import { HELP, readOptions, UsageError } from './options.ts'

try {
  const options = readOptions(process.argv.slice(2))
  if (options.help) console.log(HELP)
  else await run(options.bank, options.banksFile)
} catch (error) {
  console.error((error as Error).message)
  if (error instanceof UsageError) console.error('See npm run fake-bank -- --help.')
  process.exitCode = 1
}

// Starts the bank, writes or prints the banks file for Manilla, and prints how to start Manilla with it.
async function run(options: Parameters<typeof startFakeBank>[0], path: string | undefined) {
  const bank = await startFakeBank(options)
  const { entry, others, env } = bank.banksFile
  const content = JSON.stringify([entry, ...others], null, 2)
  if (path !== undefined) writeFileSync(path, `${content}\n`)
  const variables = Object.entries({ MANILLA_BANKS_FILE: path ?? 'banks.json', ...env })
  const exported = variables.map(([name, value]) => `export ${name}='${value}'`).join('\n')
  console.log(`Simulated bank ${options.bankCode} (${options.connector}) on ${bank.url}
Notifies ${options.notify}/rails/${options.bankCode}/credits

${path === undefined ? 'Save as banks.json' : `Written to ${path}`}:
${content}

Then start Manilla with:
${exported}
npm start

Send a transfer:
curl -s ${bank.url}/control/transfers -H 'content-type: application/json' \\
  -d '{"accountNumber": "…", "amount": "1500.00"}'

Stop with Ctrl-C.`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void bank[Symbol.asyncDispose]())
  }
}
