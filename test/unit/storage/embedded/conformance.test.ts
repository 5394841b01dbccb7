import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../../../src/lib/clock.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import type { Backend, BackendFork } from '../../../../src/storage/backend.ts'
import { openEmbedded, openInMemory } from '../../../../src/storage/embedded/open-embedded.ts'
import { backendConformance } from '../../../conformance/backend.ts'
import { never, Store } from '../../../support/backend.ts'

for (const keepsHistory of [false, true]) {
  const kept = keepsHistory ? ', with history' : ''

  backendConformance(`embedded${kept}`, async () => {
    const dir = mkdtempSync(join(tmpdir(), 'embedded-'))
    const backend = await openEmbedded({ dir, keepsHistory }, systemClock, silentLogger)
    return {
      backend,
      async dispose() {
        await backend.close()
        rmSync(dir, { recursive: true, force: true })
      },
    }
  })

  backendConformance(`embedded, in memory${kept}`, async () => {
    const backend = openInMemory(systemClock, silentLogger, { keepsHistory })
    return { backend, dispose: () => backend.close() }
  })
}

backendConformance('a fork of a store in memory', async () => {
  const base = openInMemory(systemClock, silentLogger)
  const fork = await filledFork(base)
  return { backend: fork, dispose: () => fork.close().then(() => base.close()) }
})

backendConformance('a fork of the embedded store', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'embedded-'))
  const base = await openEmbedded({ dir }, systemClock, silentLogger)
  const fork = await filledFork(base)
  return {
    backend: fork,
    async dispose() {
      await fork.close()
      await base.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
})

/** Of a store that has other keys, and goes on. */
async function filledFork(base: Backend): Promise<BackendFork> {
  const store = new Store(base, '/registry/')
  for (let i = 0; i < 20; i++) await store.put(`before-${i}`, 0, 'value')
  const fork = await base.fork?.({ maxBytes: 1 << 28, onLost: () => {} }, never)
  if (fork === undefined) throw new Error('the store cannot be forked')
  for (let i = 0; i < 20; i++) await store.put(`after-${i}`, 0, 'value')
  return fork
}
