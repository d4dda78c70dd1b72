// PostgreSQL settings for a small machine, passed as arguments at every start, so that a later
// version can change them without touching the cluster.
//
// No setting trades safety for speed. The log never shows statements or values, which may contain a BVN.

import { availableParallelism, totalmem } from 'node:os'

const MB = 1024 * 1024

export function serverSettings(): Record<string, string> {
  const memoryMb = Math.floor(usableMemory() / MB)
  const sharedBuffersMb = Math.max(64, Math.min(512, Math.floor(memoryMb / 4)))
  return {
    max_connections: '100',

    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',

    shared_buffers: `${sharedBuffersMb}MB`,
    effective_cache_size: `${Math.max(sharedBuffersMb, Math.floor(memoryMb / 2))}MB`,
    work_mem: '8MB',
    maintenance_work_mem: '64MB',
    // Few, long checkpoints: after each one, changed pages are first logged in full.
    checkpoint_timeout: '15min',
    max_wal_size: '4GB',
    min_wal_size: '256MB',
    wal_buffers: '16MB',
    // The npm builds have only pglz. Compressing a page takes it longer than booking a credit, and
    // after a checkpoint a credit among millions of accounts logs several pages.
    wal_compression: 'off',

    random_page_cost: '1.1',
    jit: 'off',
    // On two cores a parallel report would occupy the core that serves payments.
    max_parallel_workers_per_gather: availableParallelism() > 2 ? '2' : '0',

    // Queue-like tables contain mostly dead rows: vacuum early and fast.
    autovacuum_naptime: '15s',
    autovacuum_vacuum_scale_factor: '0.05',
    autovacuum_vacuum_insert_scale_factor: '0.1',
    autovacuum_analyze_scale_factor: '0.05',
    autovacuum_vacuum_cost_limit: '1000',

    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
  }
}

// Settings that this folder relies on and nobody may override: the only access, and a log that we
// can read.
export function fixedSettings(socketFolder: string): Record<string, string> {
  return {
    listen_addresses: '',
    port: '5432',
    unix_socket_directories: `"${socketFolder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    lc_messages: 'C',
    logging_collector: 'off',
    log_destination: 'stderr',
  }
}

export function settingArguments(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

// A container may have less memory than the machine; 0 means unknown.
function usableMemory(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
