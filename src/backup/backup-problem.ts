// Something is wrong with a backup, or with what was asked of it: one sentence for the operator.

export class BackupProblem extends Error {}
