// `manilla doctor`: lists problems with their remedies. Changes nothing.

import type { Command } from 'commander'
import { type Options, print, type Run } from './command-context.ts'
import { type Check, checkService } from './doctor-checks.ts'
import { checkDatabase } from './doctor-database.ts'
import { EXIT } from './problems.ts'
import { type Color, paint, plain } from './table.ts'

const COLORS: Record<Check['state'], Color> = { ok: 'green', warn: 'yellow', fail: 'red' }

export function addDoctorCommand(program: Command, run: Run): void {
  program
    .command('doctor')
    .description(
      'Diagnose: Node, the service and its database, clocks, credentials, webhooks, alerts; with ' +
        'DATABASE_URL, also the database hosts and their replication. Exit code 0 when nothing fails.',
    )
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const [service, database] = await Promise.all([
        checkService(run, options),
        checkDatabase(run),
      ])
      const checks = [...service, ...database]
      const failed = checks.find(({ state }) => state === 'fail')
      const lines = checks.map(({ state, name, finding, remedy }) => {
        const mark = paint(run.terminal, COLORS[state], state.padEnd(4))
        return `${mark}  ${name.padEnd(12)}  ${plain(finding)}${remedy ? ` ${plain(remedy)}` : ''}`
      })
      const exitCode = failed?.exitCode ?? (failed ? EXIT.refused : EXIT.done)
      print(run, options, { data: { checks }, text: lines.join('\n'), exitCode })
    })
}
