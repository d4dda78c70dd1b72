// Operations that take a key and no token: see the tests of people, and of maker-checker. Reviews of account
// names take one, but need a service in live mode: see test/payments/account-name-reviews.test.ts.

export const BY_PEOPLE = [
  'approveAccountName',
  'rejectAccountName',
  'createUser',
  'resetUserPassword',
  'rotateOwnSecret',
  'requestAdjustment',
  'requestApproval',
  'askToDisableMakerChecker',
  'approveAdjustment',
  'approvePayoutFailure',
  'approvePayout',
  'approveResolution',
  'approveSuspenseRequest',
  'rejectAdjustment',
  'rejectPayoutFailure',
  'rejectPayout',
  'rejectResolution',
  'rejectSuspenseRequest',
  'withdrawAdjustment',
  'withdrawPayoutFailure',
  'withdrawResolution',
  'withdrawSuspenseRequest',
]
