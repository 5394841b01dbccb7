import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../../../src/lib/clock.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import { openEmbedded, openInMemory } from '../../../../src/storage/embedded/open-embedded.ts'
import { backendConformance } from '../../../conformance/backend.ts'

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
