// The program of a process that claims and sends queued messages once; a test kills it meanwhile. Usage:
// `node mailing-child.ts <connection string> <port of the mail server> <time in ms>`.

import { loadConfig } from '#config/config.ts'
import { createPool } from '#db/pool.ts'
import { mailingOf, work } from './mailing.ts'
import { SECRETS } from './settings.ts'

const [connectionString = '', smtpPort, nowMs] = process.argv.slice(2)
const env = { ...SECRETS, DATABASE_URL: connectionString, PUBLIC_URL: 'http://localhost:8080' }
const db = createPool({ connectionString, max: 4, onIdleError: () => {} })
const clock = () => new Date(Number(nowMs))
await work(
  mailingOf({ db, clock, config: loadConfig(env, 'serve') }, { smtpPort: Number(smtpPort) }),
)
await db.end()
