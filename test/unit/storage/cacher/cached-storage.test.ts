import { encryptionConformance } from '../../../conformance/encryption.ts'
import { storageConformance } from '../../../conformance/storage.ts'
import { encryptionOf, identityProvider, providerOf } from '../../../support/encryption-config.ts'
import { MemoryBackend } from '../../../support/memory-backend.ts'
import { cacherHarness, encryptedHarness, readsOfTheStore } from '../../../support/test-cacher.ts'
import { codecThrough } from '../../../support/test-codec.ts'

storageConformance('watch cache, in memory', async () => cacherHarness(new MemoryBackend()))
for (const [name, options] of [
  ['latest reads of the store', { consistentReads: false }],
  ['exact reads of the store', { exactReads: false }],
  ['latest and exact reads of the store', readsOfTheStore],
  ['filled on demand', { onDemand: true }],
] as const)
  storageConformance(`watch cache, in memory, ${name}`, async () => cacherHarness(new MemoryBackend(), undefined, undefined, options))
storageConformance('watch cache, in memory, encrypted', async () => {
  const encryption = encryptionOf(providerOf('aesgcm', 'one'), identityProvider)
  return cacherHarness(new MemoryBackend(), undefined, codecThrough(encryption.transformerFor({ group: '', resource: 'configmaps' })))
})
encryptionConformance('watch cache, in memory', async () => encryptedHarness('cached', new MemoryBackend()))
