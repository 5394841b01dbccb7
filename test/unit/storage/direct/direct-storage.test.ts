import { encryptionConformance } from '../../../conformance/encryption.ts'
import { storageConformance } from '../../../conformance/storage.ts'
import { encryptionOf, identityProvider, providerOf } from '../../../support/encryption-config.ts'
import { MemoryBackend } from '../../../support/memory-backend.ts'
import { directHarness, encryptedHarness } from '../../../support/test-cacher.ts'
import { codecThrough } from '../../../support/test-codec.ts'

storageConformance('direct, in memory', async () => directHarness(new MemoryBackend()))
storageConformance('direct, in memory, encrypted', async () => {
  const encryption = encryptionOf(providerOf('aesgcm', 'one'), identityProvider)
  return directHarness(new MemoryBackend(), undefined, codecThrough(encryption.transformerFor({ group: '', resource: 'configmaps' })))
})
encryptionConformance('direct, in memory', async () => encryptedHarness('direct', new MemoryBackend()))
