import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../../../src/lib/clock.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import type { Backend } from '../../../../src/storage/backend.ts'
import { openEmbedded } from '../../../../src/storage/embedded/open-embedded.ts'
import { encryptionConformance } from '../../../conformance/encryption.ts'
import { storageConformance } from '../../../conformance/storage.ts'
import { cacherHarness, directHarness, encryptedHarness, readsOfTheStore } from '../../../support/test-cacher.ts'

async function open(): Promise<[Backend, () => Promise<void>]> {
  const dir = mkdtempSync(join(tmpdir(), 'embedded-'))
  const backend = await openEmbedded({ dir }, systemClock, silentLogger)
  return [
    backend,
    async () => {
      await backend.close()
      rmSync(dir, { recursive: true, force: true })
    },
  ]
}

encryptionConformance('direct, embedded', async () => encryptedHarness('direct', ...(await open())))
encryptionConformance('watch cache, embedded', async () => encryptedHarness('cached', ...(await open())))
storageConformance('direct, embedded', async () => directHarness(...(await open())))
storageConformance('watch cache, embedded, latest and exact reads of the store', async () =>
  cacherHarness(...(await open()), undefined, readsOfTheStore),
)
storageConformance('watch cache, embedded', async () => cacherHarness(...(await open())))
