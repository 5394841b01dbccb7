import type { Backend } from './backend.ts'
import { BackendError } from './backend.ts'
import { type Key, key } from './revision.ts'
import type { Transformer } from './value/transformer.ts'

/** Names of the secrets that every server of a store needs and that must be the same on all of them. */
export type AgreedName = 'certificate-authority' | 'service-account-key'

/** Secrets that all servers of a store share. The first server that needs one proposes it, and the others adopt it. */
export interface AgreedValues {
  /**
   * Returns the stored value. If none is stored, or `isGood` rejects the stored one, calls `propose` and stores its
   * result unless another server is faster. A stale value is encrypted again. Throws BackendError, and TransformError
   * if the stored value cannot be decrypted.
   */
  agree(name: AgreedName, propose: () => Promise<string>, isGood?: (value: string) => boolean): Promise<string>
}

const CALL_MS = 3_000
/** Write conflicts with other servers, one after another, before `agree` gives up. */
const MAX_RACES = 20

/**
 * Key of a shared secret. It collides with no resource: names of API groups contain a dot, and the core group has no
 * such plural.
 */
export const agreedKey = (etcdPrefix: string, name: AgreedName): Key => key(`${etcdPrefix}/binnacle/${name}`)

/**
 * Creates the shared secrets of a store. `transformer` is the one for Secrets, because these values need the same
 * protection.
 */
export const agreedValues = (backend: Pick<Backend, 'get' | 'write'>, transformer: Transformer, etcdPrefix: string): AgreedValues => ({
  async agree(name, propose, isGood = () => true) {
    const at = agreedKey(etcdPrefix, name)
    for (let race = 0; race < MAX_RACES; race++) {
      const { item } = await backend.get(at, AbortSignal.timeout(CALL_MS))
      const opened = item && transformer.fromStorage(item.value, at)
      const found = opened?.value.toString()
      const good = found !== undefined && isGood(found)
      if (good && !opened?.stale) return found
      const next = good ? found : await propose()
      const value = transformer.toStorage(Buffer.from(next), at)
      const { ok } = await backend.write({ key: at, expected: item?.modRevision ?? 0, value }, AbortSignal.timeout(CALL_MS))
      if (ok) return next
    }
    throw new BackendError('unavailable', `the servers cannot agree on ${at}`)
  },
})
