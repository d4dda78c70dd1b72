// Operations for which test/access/route-isolation.test.ts sends no request, because none could name another
// client's data; each with the reason.

const NO_CLIENT = 'says nothing of any client'
const BANKS = 'a bank’s, by its signature: test/credits/rail-signatures.test.ts'
const PAYERS = 'a payer’s, by the reference alone, which nobody can guess'
const COMPARED = 'compared by itself below'
const OWN_SANDBOX = 'of the caller’s own sandbox: takes nothing that could be another’s'
const OWN_VIEWS = 'test/access/saved-views.test.ts asks for another’s'
const OWN = 'of the caller’s own sign-in: takes nothing that could be another’s'

// Lists in which the operator's users see the rows of all clients, because the ledger has each client's debt
// to the operator. For the operator, test/access/route-isolation.test.ts skips these lists.
export const OF_ALL_CLIENTS = ['listLedgerAccounts']

const MESSAGES = 'test/messages/sandbox.test.ts asks for another’s'
const OWN_NOTICES = 'of the caller’s own messages: takes nothing that could be another’s'

export const EXEMPT_OPERATIONS: Record<string, string> = {
  getMessage: MESSAGES,
  getMessageContent: MESSAGES,
  unsuppressAddress: MESSAGES,
  suppressAddress: OWN_NOTICES,
  getNoticeSettings: OWN_NOTICES,
  setNoticeSettings: OWN_NOTICES,
  previewNotice: OWN_NOTICES,
  openRailItem: 'for operators, of banks: it is no client’s',
  health: NO_CLIENT,
  ready: NO_CLIENT,
  listFamilyBanks: NO_CLIENT,
  listSupportedBanks: NO_CLIENT,
  listBanks: NO_CLIENT,
  listInstitutions: NO_CLIENT,
  getLimits: NO_CLIENT,
  quoteFee: NO_CLIENT,
  nameEnquiry: BANKS,
  reverseCredit: BANKS,
  settleReturn: BANKS,
  reportCredits: BANKS,
  getCheckoutStatus: PAYERS,
  setSandboxPayoutOutcome: 'of the caller’s own payouts: test/sandbox/payout-outcomes.test.ts',
  streamEvents: 'endless: test/webhooks/event-stream.test.ts hears nothing of another’s',
  getSandboxClock: OWN_SANDBOX,
  setSandboxClock: OWN_SANDBOX,
  advanceSandboxClock: OWN_SANDBOX,
  releaseSandboxClock: OWN_SANDBOX,
  getSandboxSeed: OWN_SANDBOX,
  seedSandbox: OWN_SANDBOX,
  resetSandbox: OWN_SANDBOX,
  login: COMPARED,
  oauthToken: COMPARED,
  signIn: COMPARED,
  challengeSignIn: NO_CLIENT,
  signInWithPasskey: 'by signature: test/access/passkey-sign-in.test.ts',
  challengePasskey: OWN,
  beginPasskey: OWN,
  confirmPasskey: OWN,
  signOut: OWN,
  signOutEverywhere: OWN,
  changeOwnPassword: OWN,
  getUserAddresses: OWN,
  setUserAddresses: OWN,
  listSavedViews: OWN_VIEWS,
  createSavedView: OWN_VIEWS,
  updateSavedView: OWN_VIEWS,
  deleteSavedView: OWN_VIEWS,
  beginTotp: OWN,
  confirmTotp: OWN,
  removeTotp: OWN,
  countPendingApprovals: OWN,
  getChat: 'for operators: it is no client’s',
  setChat: 'for operators: it is no client’s',
  removeChat: 'for operators: it is no client’s',
  testChat: 'for operators: it is no client’s',
  beginProviderSignIn: 'sends the browser to the provider of the client it names',
  completeProviderSignIn: 'by an unguessable cookie: test/access/provider-sign-in.test.ts',
  finishProviderSignIn: 'by an unguessable cookie: test/access/provider-settings.test.ts',
  getProvider: OWN,
  setProvider: OWN,
  removeProvider: OWN,
  requestPasswordReset: NO_CLIENT,
  openPasswordReset: 'by an unguessable link: test/access/password-reset.test.ts',
  acceptPasswordReset: 'by an unguessable link: test/access/password-reset.test.ts',
  openInvitation: 'by an unguessable link: test/access/take-over.test.ts',
  acceptInvitation: 'by an unguessable link: test/access/take-over.test.ts',
}
