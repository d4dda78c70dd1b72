// The commands that the search offers in addition to objects: views, parts of Settings, and actions that the
// user may take.

import { appStrings, settingsStrings, commandsStrings as strings } from '../copy.ts'
import type { IconName } from './parts/icons.tsx'
import { hrefOf } from './routing.ts'
import type { Session } from './session.ts'

export type Command = { name: string; href: string; icon: IconName; isAction?: boolean }

type ActionName = keyof typeof strings.actions
type ActionCommand = { href: string; icon: IconName; scope: string; mode?: 'sandbox' }

const tabHref = (view: string, name: string) => hrefOf(view, undefined, { tab: name })
const newHref = (view: string, form: string) => hrefOf(view, undefined, { new: form })

const ACTIONS: Readonly<Record<ActionName, ActionCommand>> = {
  request: { href: newHref('payments', 'request'), icon: 'advice', scope: 'payments:write' },
  refund: {
    href: hrefOf('payments', undefined, { status: 'Successful' }),
    icon: 'reversal',
    scope: 'refunds:write',
  },
  account: { href: newHref('accounts', 'account'), icon: 'accounts', scope: 'accounts:write' },
  upload: { href: newHref('accounts', 'upload'), icon: 'upload', scope: 'accounts:write' },
  payout: { href: newHref('payouts', 'payout'), icon: 'payouts', scope: 'payouts:write' },
  settlement: { href: hrefOf('settlements'), icon: 'settlements', scope: 'payouts:write' },
  statement: { href: hrefOf('reconciliation'), icon: 'upload', scope: 'accounting:write' },
  transfer: {
    href: hrefOf('sandbox-bank'),
    icon: 'transfer',
    scope: 'payments:write',
    mode: 'sandbox',
  },
  endpoint: { href: newHref('webhooks', 'endpoint'), icon: 'webhooks', scope: 'webhooks:write' },
  checker: { href: tabHref('webhooks', 'checker'), icon: 'webhooks', scope: 'webhooks:read' },
}

const SETTINGS_FOR_ALL = ['profile', 'reports'] as const
const SETTINGS_BY_SCOPE = {
  branding: 'accounts:read',
  limits: 'accounts:read',
  limitProfiles: 'accounts:read',
  fees: 'credits:read',
  subaccounts: 'payouts:read',
  splits: 'payouts:read',
  approvals: 'payouts:read',
  payoutRules: 'operator',
  chat: 'operator',
  auditLog: 'actions:read',
} as const

type View = { name: string; path: string; icon: IconName }

// Returns the commands that this user may use, by scopes, role and mode.
export function commandsFor(session: Session, allowed: readonly View[]): Command[] {
  const { scopes, role, client } = session
  const actions = Object.entries(ACTIONS)
    .filter(([, { scope, mode }]) => scopes.includes(scope) && (!mode || mode === client.mode))
    .map(([name, { href, icon }]) => ({
      name: strings.actions[name as ActionName],
      href,
      icon,
      isAction: true,
    }))
  const invite = { tab: 'users', new: 'user' }
  const inviteCommands: Command[] =
    role === 'owner' || role === 'operator'
      ? [{ name: strings.invite, href: hrefOf('settings', undefined, invite), icon: 'action' }]
      : []
  const views = allowed.map(({ name, path, icon }) => ({ name, href: hrefOf(path), icon }))
  const settingsCommands = [
    ...SETTINGS_FOR_ALL,
    ...(Object.keys(SETTINGS_BY_SCOPE) as (keyof typeof SETTINGS_BY_SCOPE)[]).filter((name) =>
      scopes.includes(SETTINGS_BY_SCOPE[name]),
    ),
  ].map((name): Command => {
    const text = `${appStrings.views.settings}: ${settingsStrings.tabs[name]}`
    return { name: text, href: tabHref('settings', name), icon: 'settings' }
  })
  return [...views, ...actions, ...inviteCommands, ...settingsCommands]
}

const splitIntoWords = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

// Returns the commands in which each typed word begins some word of the name. Commands whose name begins
// with the first typed word come first.
export function findCommands(commands: readonly Command[], text: string): Command[] {
  const typedWords = splitIntoWords(text)
  if (typedWords.length === 0) return []
  // Each typed word must begin some word of the command.
  const matches = commands.filter(({ name }) => {
    const words = splitIntoWords(name)
    return typedWords.every((start) => words.some((word) => word.startsWith(start)))
  })
  const sortRank = ({ name }: Command) =>
    Number(!name.toLowerCase().startsWith(typedWords[0] as string))
  return matches.toSorted((one, other) => sortRank(one) - sortRank(other))
}
