// `manilla backup`, `restore` and `verify` (docs/backup.md). They work on files and start a server
// of their own if they need one.

import type { FileCommand } from './admin-command.ts'
import { backup } from './backup-command.ts'
import type { Option } from './command-line.ts'
import { restore } from './restore-command.ts'
import { AT, FROM, TIMELINE } from './restore-options.ts'
import { verify } from './verify-command.ts'

const DATABASE_URL: Option = { name: 'database-url', value: 'url', about: '' }

export const BACKUP_COMMANDS: readonly FileCommand[] = [
  {
    name: 'backup',
    summary: 'Back up the database, whether the service runs or not.',
    options: [
      { name: 'to', value: 'folder', about: 'Folder of the backups. Default: MANILLA_BACKUP_DIR.' },
      { name: 'keep', value: 'number', about: 'Then remove all but so many, and log not needed.' },
      { name: 'without-secrets', about: 'Leave out secrets.json, and the banks and chart files.' },
      { ...DATABASE_URL, about: 'Your own server. Default: DATABASE_URL, or the embedded one.' },
    ],
    isTopLevel: true,
    run: backup,
  },
  {
    name: 'restore',
    summary: 'Restore a backup into a new data directory, up to a moment.',
    options: [
      FROM,
      AT,
      { name: 'latest', about: 'Up to the end of the archived log.' },
      { name: 'data-dir', value: 'folder', about: 'New data directory.' },
      TIMELINE,
      { name: 'secrets', value: 'file', about: 'secrets.json, if the backup has none.' },
      {
        name: 'skip-numbers',
        value: 'number',
        about: 'Account numbers of each range not to be issued. Default: 1,000 or 1%.',
      },
      { ...DATABASE_URL, about: 'Instead: prepare this database, restored by other means.' },
    ],
    isTopLevel: true,
    run: restore,
  },
  {
    name: 'verify',
    summary: 'Prove that a backup can be restored: restore it, and check its books.',
    options: [
      FROM,
      AT,
      TIMELINE,
      { ...DATABASE_URL, about: 'Instead: check the books of this database.' },
    ],
    isTopLevel: true,
    run: verify,
  },
]
