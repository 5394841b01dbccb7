import { DirectStorage } from '../../../../src/storage/direct/direct-storage.ts'
import { storageConformance } from '../../../conformance/storage.ts'
import { MemoryBackend } from '../../../support/memory-backend.ts'
import { testCodec } from '../../../support/test-codec.ts'

storageConformance('direct, in memory', async () => {
  const backend = new MemoryBackend()
  const open = () => new DirectStorage(backend, testCodec, { revisionWaitMs: 300, queueLimit: 64, bookmarkMs: 200 })
  return {
    backend,
    storage: open(),
    reopen: async () => open(),
    close: () => backend.close(),
  }
})
