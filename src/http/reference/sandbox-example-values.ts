// The examples of the sandbox's operations; as in example-values.ts.

export const SANDBOX_VALUES: Readonly<Record<string, unknown>> = {
  'SandboxTransfer.kind': 'exact',
  'SandboxTransfer.creditId': 4102,
  'SandboxTransferStep.step': 'credit',
  'SandboxTransferStep.reason': null,
  'SandboxTransferScheduled.step': 'reversal',
  'SandboxPayoutOutcome.outcome': 'failed',
  'SandboxPayoutOutcome.times': 1,
  'WebhookChaos.delayMs': 2000,
  'WebhookChaos.duplicate': 1,
  'WebhookChaos.dropNext': 3,
}
