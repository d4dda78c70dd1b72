// The list of collection accounts, with details, balance and timeline of each. Accounts can be created one by
// one or from a file.

import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { appStrings, splitsStrings, accountsStrings as strings } from '../../../copy.ts'
import { getPage, type Params, type Query, type Schemas } from '../../api.ts'
import { money } from '../../format.ts'
import { useLoaded, useReload } from '../../loading.ts'
import { SplitLink } from '../../parts/choices.tsx'
import { Button, Link } from '../../parts/controls.tsx'
import { type Fact, factList } from '../../parts/drawer.tsx'
import { StatementLinks } from '../../parts/exports.tsx'
import { DATES, type Filter } from '../../parts/filters.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { payerAccountsText } from '../../parts/payer-rules-fields.tsx'
import { SampleData } from '../../parts/sample-data.tsx'
import { Pending } from '../../parts/states.tsx'
import { type Column, fieldColumn, orderColumn } from '../../parts/table.tsx'
import { type Entry, Timeline } from '../../parts/timeline.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Badge, BankName, Copyable, Money, Time } from '../../parts/values.tsx'
import { closeTo, goTo, hrefOf } from '../../routing.ts'
import type { ViewProps } from '../../session.ts'
import { AccountActions } from './account-actions.tsx'
import { NewAccount } from './new-account.tsx'
import { UploadAccounts } from './upload-accounts.tsx'

type Account = Schemas['OwnAccount']

const PATH = '/api/v1/accounts/static'

const stateOf = ({ isActive }: { isActive: boolean }) => (isActive ? 'active' : 'inactive')

const FILTERS: readonly Filter[] = [
  {
    name: 'active',
    label: strings.state,
    choices: { true: strings.active, false: strings.inactive },
  },
  { name: 'name', label: strings.name, placeholder: strings.partOfName },
  { name: 'email', label: strings.email },
  { name: 'phone', label: strings.phone },
  { name: 'merchantId', label: strings.merchant },
  { name: 'minAmount', label: appStrings.filters.minBalance, type: 'amount' },
  { name: 'maxAmount', label: appStrings.filters.maxBalance, type: 'amount' },
  ...DATES,
]

const COLUMNS: readonly Column<Account>[] = [
  fieldColumn(strings.name, 'accountName', 'lead'),
  fieldColumn(strings.number, 'accountNumber', 'second', (value) => <code>{value}</code>),
  {
    name: strings.balance,
    place: 'amount',
    isAmount: true,
    show: ({ accountBalance, currencyCode }) => (
      <Money amount={accountBalance} currency={currencyCode} />
    ),
    fields: ['accountBalance', 'currencyCode'],
  },
  {
    name: strings.state,
    place: 'state',
    show: (account) => <Badge state={stateOf(account)} />,
    fields: ['isActive'],
  },
  fieldColumn(strings.merchant, 'merchantId'),
  orderColumn(strings.created, 'createdAt'),
]

// The list of collection accounts, with the dialogs that create one account or upload many. The URL says
// which dialog is open.
export default function Accounts(props: ViewProps) {
  const { session, place } = props
  const [refreshKey, setRefreshKey] = useState(0)
  const mayWrite = session.scopes.includes('accounts:write')
  const hrefWith = (query: Query) => hrefOf('accounts', undefined, { ...place.query, ...query })
  const close = () => closeTo(hrefWith({ new: undefined }))
  const refresh = () => setRefreshKey((previous) => previous + 1)
  const add = mayWrite && (
    <div class="buttons">
      <Link class="button" href={hrefWith({ new: 'upload' })}>
        {strings.upload.open}
      </Link>
      <Link class="button primary" href={hrefWith({ new: 'account' })}>
        {strings.create.open}
      </Link>
    </div>
  )
  // Opens the new account in place of the form.
  const onCreated = (accountNumber: string) => {
    toast(strings.create.done(accountNumber))
    refresh()
    goTo(hrefOf('accounts', accountNumber, { ...place.query, new: undefined }), { replace: true })
  }
  return (
    <>
      <AccountList
        {...props}
        {...{ add, mayWrite }}
        refreshKey={refreshKey}
        sample={<SampleData {...{ session, refresh }} />}
      />
      {mayWrite && place.query.new === 'account' && (
        <NewAccount clientId={session.client.clientId} close={close} onCreated={onCreated} />
      )}
      {mayWrite && place.query.new === 'upload' && (
        <UploadAccounts close={close} created={refresh} />
      )}
    </>
  )
}

type ListProps = ViewProps & {
  add: ComponentChildren
  sample: ComponentChildren
  mayWrite: boolean
  refreshKey: number
}

// The list of accounts, which reloads at events about accounts and collections (`isAbout`).
function AccountList({ sample, mayWrite, ...props }: ListProps) {
  return (
    <ListView
      {...props}
      view="accounts"
      icon="accounts"
      path={PATH}
      file={PATH}
      summary={`${PATH}/summary`}
      caption={appStrings.views.accounts}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ accountNumber }) => accountNumber}
      isAbout={/^(?:account|collection)\./}
      emptyState={{ title: strings.none, text: strings.noneText, sample }}
      drawer={{
        title: strings.one,
        path: `${PATH}/{accountNumber}/details`,
        show: (account, { changed }) => (
          <>
            <AccountFacts account={account} />
            {mayWrite && <AccountActions {...{ account, changed }} />}
            <StatementLinks path={`${PATH}/${account.accountNumber}/statement`} />
          </>
        ),
        timeline: (accountNumber, refreshKey) => (
          <AccountTimeline params={{ accountNumber }} refreshKey={refreshKey} />
        ),
      }}
    />
  )
}

// The balance, the state and all data of a collection account, for its drawer. The first of `accounts` is the
// main number, which is shown on top.
function AccountFacts({ account }: { account: Account }) {
  const { perCredit, perDay, balanceMax } = account.limits
  const limit = (amount: number | null) => amount !== null && money(amount)
  return (
    <>
      <div class="headline">
        <Money amount={account.accountBalance} currency={account.currencyCode} />
        <Badge state={stateOf(account)} />
      </div>
      <p class="muted">{account.accountName}</p>
      {factList([
        [strings.number, <Copyable key="number" text={account.accountNumber} />],
        [strings.bank, <BankName key="bank" code={account.bankCode} />],
        ...account.accounts
          .slice(1)
          .map(
            ({ bankName, accountNumber }): Fact => [
              strings.numberAt(bankName),
              <Copyable key={accountNumber} text={accountNumber} />,
            ],
          ),
        [strings.email, account.email],
        [strings.phone, account.phoneNumber],
        [strings.merchant, account.merchantId],
        [strings.merchantCode, account.merchantCode],
        [strings.default, account.isDefault && strings.yes],
        [strings.kycTier, tierText(account)],
        [strings.verifiedName, account.verifiedName],
        identityFact(strings.bvn, account.bvnMasked, account.identity.bvn),
        identityFact(strings.nin, account.ninMasked, account.identity.nin),
        [strings.limitProfile, account.limitProfile],
        [splitsStrings.splitCode, account.splitCode && <SplitLink code={account.splitCode} />],
        [strings.perCredit, limit(perCredit)],
        [strings.perDay, limit(perDay)],
        [strings.balanceMax, limit(balanceMax)],
        ...ruleFacts(account),
        [strings.created, <Time key="created" at={account.createdAt} />],
      ])}
    </>
  )
}

// Returns the KYC tier, with the tier that was set or the tier of the limits where they differ from it.
function tierText({ kycTier, kycTierSet, limitTier }: Account): string {
  const text = kycTier < kycTierSet ? strings.kycTierCapped(kycTier, kycTierSet) : `${kycTier}`
  return limitTier === kycTier ? text : strings.kycTierOfLimits(text, limitTier)
}

// Colours for results of the identity service. A check without a result is grey.
const TONES = { verified: 'good', name_mismatch: 'warn', not_found: 'bad' } as const

// The masked BVN or NIN, with the result of its check by the identity service.
function identityFact(
  label: string,
  masked: string | null,
  { status }: Account['identity']['bvn'],
): Fact {
  const tone = TONES[status as keyof typeof TONES] ?? 'calm'
  return [
    label,
    masked && (
      <span key={label}>
        {masked} <Badge state={status} tone={tone} />
      </span>
    ),
  ]
}

// The rules on who may pay into the account and how much.
function ruleFacts({ payerRules: rules }: Account): Fact[] {
  const { rules: labels } = strings
  const amount = (naira: number | undefined) => naira !== undefined && money(naira)
  return [
    [labels.min, amount(rules?.minAmount)],
    [labels.max, amount(rules?.maxAmount)],
    [labels.names, rules?.names?.join(', ')],
    [labels.accounts, rules?.accounts && payerAccountsText(rules.accounts)],
  ]
}

const TIMELINE = '/api/v1/accounts/static/{accountNumber}/timeline'
// To show the same credits again, a reload searches at most this many pages more than before.
const FURTHER_PAGES_MAX = 5

type LoadedTimeline = { entries: readonly Entry[]; pages: number; hasMore: boolean }
type Props = { params: Params<typeof TIMELINE>; refreshKey: number }

// The timeline of a collection account, which may have millions of credits: the latest first, older ones on
// request. Pages start at the newest credit, so a reload needs as many pages as before, or more if new
// credits have pushed the shown ones further down.
function AccountTimeline({ params, refreshKey }: Props) {
  const latest = useRef<LoadedTimeline>({ entries: [], pages: 0, hasMore: true })
  const pages = useRef(1)
  const { data, problem, isLoading, reload } = useLoaded('timeline', async (signal) => {
    const previous = { pages: pages.current, credits: creditReferences(latest.current.entries) }
    latest.current = await loadPages(params, previous, signal)
    pages.current = Math.max(pages.current, latest.current.pages)
    return latest.current
  })
  useReload(refreshKey, reload)
  // Loads one page more than now.
  const goFurther = () => {
    pages.current = latest.current.pages + 1
    reload()
  }
  return (
    <>
      <Pending {...{ data, problem, reload }} kind="rows" lines={5} />
      {data && <Timeline entries={data.entries} />}
      {data?.hasMore && (
        <Button aria-busy={isLoading} onClick={goFurther}>
          {appStrings.timeline.further}
        </Button>
      )}
    </>
  )
}

// Loads at least `pages` pages, and then more until the credits that were shown before are among them.
async function loadPages(
  params: Props['params'],
  { pages, credits }: { pages: number; credits: ReadonlySet<string | null> },
  signal: AbortSignal,
): Promise<LoadedTimeline> {
  let entries: Entry[] = []
  let cursor: string | undefined
  for (let count = 1; ; count++) {
    const page = await getPage(TIMELINE, params, { query: { cursor }, signal })
    entries = [...page.data, ...entries]
    cursor = page.nextCursor ?? undefined
    const loadedCredits = creditReferences(entries)
    const hasAllCredits = [...credits].every((credit) => loadedCredits.has(credit))
    const isEnough = count >= pages && (hasAllCredits || count >= pages + FURTHER_PAGES_MAX)
    if (isEnough || !cursor) return { entries, pages: count, hasMore: cursor !== undefined }
  }
}

function creditReferences(entries: readonly Entry[]): ReadonlySet<string | null> {
  return new Set(entries.flatMap(({ kind, reference }) => (kind === 'credit' ? reference : [])))
}
