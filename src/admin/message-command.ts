// The part of `manilla doctor` about messages to people: whether the mail server accepts our credentials and
// the gateway can be reached, and the last problem that the workers met. Sends nothing.

import { messageSettings } from '#config/config.ts'
import { checkGateway, checkServer } from '#messages/transports.ts'
import type { Context } from './operator-command.ts'

type Transport = { name: string; problem: string | null; pausedUntil: Date | null }

export async function showMessages({ env, db }: Context) {
  const { smtp, gateway } = messageSettings(env)
  const { rows } = await db.query<Transport>(
    'select name, problem, paused_until from message_transports order by name',
  )
  const problemOf = (transport: string) => rows.find(({ name }) => name === transport)?.problem
  const data = {
    mail: smtp ? { problem: (await checkServer(smtp)) ?? problemOf('smtp') ?? null } : null,
    gateway: gateway
      ? { problem: (await checkGateway(gateway)) ?? problemOf('gateway') ?? null }
      : null,
  }
  return { data, view: JSON.stringify(data) }
}
