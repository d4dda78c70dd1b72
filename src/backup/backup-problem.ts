// A problem with a backup or a request for one: one sentence for the operator.

export class BackupProblem extends Error {}
