import { storageConformance } from '../../../conformance/storage.ts'
import { MemoryBackend } from '../../../support/memory-backend.ts'
import { cacherHarness } from '../../../support/test-cacher.ts'

storageConformance('watch cache, in memory', async () => cacherHarness(new MemoryBackend()))
