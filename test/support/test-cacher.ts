import type { Backend } from '../../src/storage/backend.ts'
import { createCacher } from '../../src/storage/cacher/cacher.ts'
import type { Cacher, CacherOptions } from '../../src/storage/cacher/cacher-types.ts'
import { DirectStorage } from '../../src/storage/direct/direct-storage.ts'
import type { ResourceCodec } from '../../src/storage/storage.ts'
import type { EncryptionHarness } from '../conformance/encryption.ts'
import type { StorageHarness } from '../conformance/storage.ts'
import { codecThrough, testCodec, testPrefix } from './test-codec.ts'
import { patience } from './waiting.ts'

export const testResource = { name: 'configmaps', prefix: testPrefix, codec: testCodec, namespaced: true }
/** Limits that the conformance suite expects. */
export const testLimits = { revisionWaitMs: 1500, queueLimit: 64, bookmarkMs: 200 }

/** Options with the gates ConsistentListFromCache and ListFromCacheSnapshot off. */
export const readsOfTheStore: CacherOptions = { consistentReads: false, exactReads: false }

export const openCacher = (backend: Backend, options: CacherOptions = {}, codec: ResourceCodec = testCodec): Cacher =>
  createCacher(backend, [{ ...testResource, codec }], { ...testLimits, ...options })

/** A watch cache over a backend, which is closed with it. */
export function cacherHarness(
  backend: Backend,
  close: () => Promise<void> = () => backend.close(),
  codec: ResourceCodec = testCodec,
  options: CacherOptions = {},
): StorageHarness {
  const cachers = [openCacher(backend, options, codec)]
  return {
    backend,
    storage: cachers[0]!.storageFor('configmaps'),
    ...((options.consistentReads === false || options.exactReads === false) && { futureLists: 'future revision' as const }),
    async reopen() {
      const cacher = openCacher(backend, options, codec)
      cachers.push(cacher)
      await cacher.synced(patience())
      return cacher.storageFor('configmaps')
    },
    async close() {
      for (const cacher of cachers) await cacher.close()
      await close()
    },
  }
}

export function directHarness(
  backend: Backend,
  close: () => Promise<void> = () => backend.close(),
  codec: ResourceCodec = testCodec,
): StorageHarness {
  const open = () => new DirectStorage(backend, codec, { ...testLimits, patienceMs: 0 })
  return { backend, storage: open(), reopen: async () => open(), close }
}

/** Storages whose values go through an encryption, opened anew as often as wanted. */
export function encryptedHarness(
  kind: 'direct' | 'cached',
  backend: Backend,
  close: () => Promise<void> = () => backend.close(),
): EncryptionHarness {
  const cachers: Cacher[] = []
  return {
    backend,
    async open(encryption, reports) {
      const codec = codecThrough(encryption.transformerFor({ group: '', resource: 'configmaps' }))
      const options = reports ? { reports } : {}
      if (kind === 'direct') return new DirectStorage(backend, codec, { ...testLimits, ...options })
      const cacher = openCacher(backend, options, codec)
      cachers.push(cacher)
      await cacher.synced(patience())
      return cacher.storageFor('configmaps')
    },
    async close() {
      for (const cacher of cachers) await cacher.close()
      await close()
    },
  }
}
