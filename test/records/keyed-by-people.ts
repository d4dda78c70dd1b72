// Operations that take a key and no token: see the tests of people, and of maker-checker.

export const BY_PEOPLE = [
  'createUser',
  'resetUserPassword',
  'rotateOwnSecret',
  'requestAdjustment',
  'requestApproval',
  'askToDisableMakerChecker',
  'approveAdjustment',
  'approvePayout',
  'approveResolution',
  'approveSuspenseRequest',
  'rejectAdjustment',
  'rejectPayout',
  'rejectResolution',
  'rejectSuspenseRequest',
  'withdrawAdjustment',
  'withdrawResolution',
  'withdrawSuspenseRequest',
]
