import { expect } from 'chai'
import { DirectStorage } from '../../../../src/storage/direct/direct-storage.ts'
import { encryptionConformance } from '../../../conformance/encryption.ts'
import { storageConformance } from '../../../conformance/storage.ts'
import { encryptionOf, identityProvider, providerOf } from '../../../support/encryption-config.ts'
import { MemoryBackend } from '../../../support/memory-backend.ts'
import { directHarness, encryptedHarness } from '../../../support/test-cacher.ts'
import { codecThrough, testCodec, testKey, testObject } from '../../../support/test-codec.ts'

storageConformance('direct, in memory', async () => directHarness(new MemoryBackend()))
storageConformance('direct, in memory, encrypted', async () => {
  const encryption = encryptionOf(providerOf('aesgcm', 'one'), identityProvider)
  return directHarness(new MemoryBackend(), undefined, codecThrough(encryption.transformerFor({ group: '', resource: 'configmaps' })))
})
encryptionConformance('direct, in memory', async () => encryptedHarness('direct', new MemoryBackend()))

describe('storage/direct', () => {
  it('does not remove unread what another program makes readable meanwhile', async () => {
    const backend = new MemoryBackend()
    const storage = new DirectStorage(backend, testCodec)
    const signal = AbortSignal.timeout(5000)
    const { revision } = await backend.write({ key: testKey('a'), expected: 0, value: Buffer.from('{') }, signal)
    let raced = false
    backend.before = async call => {
      if (call !== 'write' || raced) return
      raced = true
      await backend.write({ key: testKey('a'), expected: revision, value: testCodec.encode(testObject('a')) }, signal)
    }
    expect(await storage.removeCorrupt(testKey('a'), signal)).to.equal('readable')
    expect((await storage.get(testKey('a'), 'latest', signal))?.attributes().name).to.equal('a')
  })
})
