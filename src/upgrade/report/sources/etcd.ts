import { silentLogger } from '../../../lib/log.ts'
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
    const { signal } = new AbortController()
    const at = await backend.currentRevision(signal)
    const folder = `${prefix.replace(/\/+$/, '')}/`
    const end = key(`${folder.slice(0, -1)}0`)
    for (let start = key(folder), more = true; more; ) {
      const page = await backend.range({ start, end, limit: PAGE, at }, signal)
      yield* page.items
      more = page.more
      start = key(`${page.items.at(-1)?.key ?? ''}\0`)
    }
  } finally {
    await backend.close()
  }
}
