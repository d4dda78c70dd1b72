// The former entry point of the operator commands, which installed systemd units still start: `manilla admin
// …`.

process.argv.splice(2, 0, 'admin')
await import('../../cli/main.ts')
