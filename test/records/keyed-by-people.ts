// Operations that take a key and no token: see the tests of people, and of maker-checker.

export const BY_PEOPLE = [
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
