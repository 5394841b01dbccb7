import { storageConformance } from '../../../conformance/storage.ts'
import { MemoryBackend } from '../../../support/memory-backend.ts'
import { directHarness } from '../../../support/test-cacher.ts'

storageConformance('direct, in memory', async () => directHarness(new MemoryBackend()))
