import { silentLogger } from '../../../lib/log.ts'
import { trimEndOf } from '../../../lib/trim.ts'
import type { Backend } from '../../../storage/backend.ts'
import { openEtcd } from '../../../storage/etcd/open-etcd.ts'
import type { EtcdOptions } from '../../../storage/etcd/options.ts'
import { rangePages } from '../../../storage/range-pages.ts'
import { key } from '../../../storage/revision.ts'
import type { StoredValue } from './stored.ts'

/** Yields the values in etcd below a prefix, all of one revision. Throws BackendError. */
export async function* etcdValues(options: EtcdOptions, prefix: string): AsyncGenerator<StoredValue> {
  const backend = await openEtcd({ ...options, prefix: trimEndOf(prefix, '/') }, silentLogger)
  try {
    yield* valuesBelow(backend, prefix)
  } finally {
    await backend.close()
  }
}

/** Reads page by page. Throws BackendError, also if a page does not follow the previous one. */
export async function* valuesBelow(backend: Pick<Backend, 'currentRevision' | 'range'>, prefix: string): AsyncGenerator<StoredValue> {
  const { signal } = new AbortController()
  const at = await backend.currentRevision(signal)
  const folder = `${trimEndOf(prefix, '/')}/`
  const query = { start: key(folder), end: key(`${folder.slice(0, -1)}0`), at }
  for await (const { items } of rangePages(backend, query, signal)) yield* items
}
