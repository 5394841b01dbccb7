import { silentLogger } from '../../../lib/log.ts'
import { type Backend, BackendError } from '../../../storage/backend.ts'
import { openEtcd } from '../../../storage/etcd/open-etcd.ts'
import type { EtcdOptions } from '../../../storage/etcd/options.ts'
import { key } from '../../../storage/revision.ts'
import type { StoredValue } from './stored.ts'

/** Values that are read at a time. */
const PAGE = 500

/** What an etcd holds below a prefix, all of one revision. Throws BackendError. */
export async function* etcdValues(options: EtcdOptions, prefix: string): AsyncGenerator<StoredValue> {
  const backend = await openEtcd(options, silentLogger)
  try {
    yield* valuesBelow(backend, prefix)
  } finally {
    await backend.close()
  }
}

/** Page by page. Throws BackendError, also where a page does not come after the one before: a server that answers so would never end. */
export async function* valuesBelow(backend: Pick<Backend, 'currentRevision' | 'range'>, prefix: string): AsyncGenerator<StoredValue> {
  const { signal } = new AbortController()
  const at = await backend.currentRevision(signal)
  const folder = `${prefix.replace(/\/+$/, '')}/`
  const end = key(`${folder.slice(0, -1)}0`)
  for (let start = key(folder), more = true; more; ) {
    const page = await backend.range({ start, end, limit: PAGE, at }, signal)
    yield* page.items
    more = page.more
    const last = page.items.at(-1)?.key
    if (more && (last === undefined || Buffer.compare(Buffer.from(last), Buffer.from(start)) < 0))
      throw new BackendError('corrupt', 'the answers of etcd do not go on: a page has no key behind those before it')
    start = key(`${last}\0`)
  }
}
