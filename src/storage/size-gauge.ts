import { PolledFamily } from '../lib/polled-family.ts'
import type { Backend } from './backend.ts'

const everyMs = 30_000

/** The family `apiserver_storage_size_bytes`, of a store that is asked twice a minute until the signal aborts. `cluster`: names the store. */
export function storageSize(backend: Backend, cluster: string, signal: AbortSignal): PolledFamily {
  let size: number | undefined
  const ask = () =>
    void backend.size(signal).then(
      bytes => {
        size = bytes
      },
      () => {
        size = undefined
      },
    )
  ask()
  const timer = setInterval(ask, everyMs).unref()
  signal.addEventListener('abort', () => clearInterval(timer), { once: true })
  return new PolledFamily(
    'gauge',
    {
      name: 'apiserver_storage_size_bytes',
      help: 'Bytes that the database file of the store takes.',
      stability: 'STABLE',
      labels: ['storage_cluster_id'],
      across: 'max',
    },
    () => (size === undefined ? [] : [[[cluster], size]]),
  )
}
