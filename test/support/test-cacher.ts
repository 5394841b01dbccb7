import type { Backend } from '../../src/storage/backend.ts'
import { createCacher } from '../../src/storage/cacher/cacher.ts'
import type { Cacher, CacherOptions } from '../../src/storage/cacher/cacher-types.ts'
import { DirectStorage } from '../../src/storage/direct/direct-storage.ts'
import type { StorageHarness } from '../conformance/storage.ts'
import { testCodec, testPrefix } from './test-codec.ts'

export const testResource = { name: 'configmaps', prefix: testPrefix, codec: testCodec, namespaced: true }
/** What the conformance suite expects. */
export const testLimits = { revisionWaitMs: 300, queueLimit: 64, bookmarkMs: 200 }

export const openCacher = (backend: Backend, options: CacherOptions = {}): Cacher => createCacher(backend, [testResource], { ...testLimits, ...options })

/** A watch cache over a backend, which is closed with it. */
export function cacherHarness(backend: Backend, close: () => Promise<void> = () => backend.close()): StorageHarness {
  const cachers = [openCacher(backend)]
  return {
    backend,
    storage: cachers[0]!.storageFor('configmaps'),
    async reopen() {
      const cacher = openCacher(backend)
      cachers.push(cacher)
      await cacher.synced(AbortSignal.timeout(5000))
      return cacher.storageFor('configmaps')
    },
    async close() {
      for (const cacher of cachers) await cacher.close()
      await close()
    },
  }
}

export function directHarness(backend: Backend, close: () => Promise<void> = () => backend.close()): StorageHarness {
  const open = () => new DirectStorage(backend, testCodec, testLimits)
  return { backend, storage: open(), reopen: async () => open(), close }
}
