import type { Backend } from './backend.ts'
import { BackendError } from './backend.ts'
import { type Key, key } from './revision.ts'
import type { Transformer } from './value/transformer.ts'

/** Keys that every server of a store needs, and all alike. */
export type AgreedName = 'certificate-authority' | 'service-account-key'

/** Secrets on which all servers of a store agree: who needs one first proposes it, and the others take it. */
export interface AgreedValues {
  /** Where nothing is agreed on yet, or what is no longer `isGood`, `propose` is asked. Throws BackendError, and TransformError for what cannot be decrypted. */
  agree(name: AgreedName, propose: () => Promise<string>, isGood?: (value: string) => boolean): Promise<string>
}

const CALL_MS = 3_000
/** Another server is faster, again and again. */
const MAX_RACES = 20

/** No resource is there: groups have a dot in their names, and no plural of the core group is this. */
export const agreedKey = (etcdPrefix: string, name: AgreedName): Key => key(`${etcdPrefix}/binnacle/${name}`)

/** `transformer`: of Secrets, as these are secrets, too. */
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
