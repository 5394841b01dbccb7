import { PolledFamily } from '../lib/polled-family.ts'
import type { Backend } from './backend.ts'

/**
 * Creates the metric family `apiserver_storage_size_bytes`. The size of each named store is polled every `everyMs` (0:
 * never) until the signal aborts.
 */
export function storageSize(stores: ReadonlyMap<string, Pick<Backend, 'size'>>, everyMs: number, signal: AbortSignal): PolledFamily {
  const sizes = new Map<string, number>()
  const ask = (): void => {
    for (const [name, store] of stores)
      void store.size(signal).then(
        bytes => sizes.set(name, bytes),
        () => sizes.delete(name),
      )
  }
  if (everyMs > 0) {
    ask()
    const timer = setInterval(ask, everyMs).unref()
    signal.addEventListener('abort', () => clearInterval(timer), { once: true })
  }
  return new PolledFamily(
    'gauge',
    {
      name: 'apiserver_storage_size_bytes',
      help: 'Bytes that the database file of the store takes.',
      stability: 'STABLE',
      labels: ['storage_cluster_id'],
      across: 'max',
    },
    () => [...sizes].map(([name, bytes]) => [[name], bytes]),
  )
}
