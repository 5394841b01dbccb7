import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { systemClock } from '../../../../src/lib/clock.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import { openEmbedded } from '../../../../src/storage/embedded/open-embedded.ts'
import { never, Store } from '../../../support/backend.ts'
import { bundledProgram } from '../../../support/bundled-program.ts'

const support = fileURLToPath(new URL('../../../support/', import.meta.url))

function whyNot(): string | undefined {
  if (process.platform !== 'linux') return 'the shim that watches syncs is for Linux'
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' })
  } catch {
    return 'there is no C compiler for the shim that watches syncs'
  }
  return undefined
}

const skip = whyNot()
const suite = skip ? describe.skip : describe

suite(`embedded store after a power cut${skip ? ` (skipped: ${skip})` : ''}`, () => {
  let work: string
  before(() => {
    work = mkdtempSync(join(tmpdir(), 'durability-'))
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', join(work, 'shim.so'), join(support, 'sync-shim.c'), '-ldl', '-lpthread'])
  })
  after(() => rmSync(work, { recursive: true, force: true }))

  for (const parallel of [1, 64]) {
    it(`contains every acknowledged write, each after a sync of its own group, ${parallel} at a time`, async () => {
      const dir = join(work, `data-${parallel}`)
      const copy = join(work, `copy-${parallel}`)
      mkdirSync(copy)
      const env = {
        ...process.env,
        LD_PRELOAD: join(work, 'shim.so'),
        SHIM_FILE: join(dir, 'data.mdb'),
        SHIM_COPY: join(copy, 'data.mdb'),
        SHIM_COUNT: join(work, `count-${parallel}`),
      }
      const child = spawn(process.execPath, [await bundledProgram(join(support, 'embedded-writer.ts')), dir, String(parallel)], {
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const acknowledged: string[] = []
      const syncs: number[] = []
      for await (const line of createInterface(child.stdout)) {
        const [key = '', count = ''] = line.split(' ')
        acknowledged.push(key)
        syncs.push(Number(count))
        if (acknowledged.length === 300) child.kill('SIGKILL')
      }
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')

      expect(acknowledged.length).to.be.at.least(300)
      // The data, then the page that points to it.
      expect(Math.min(...syncs)).to.be.at.least(2)
      const backend = await openEmbedded({ dir: copy }, systemClock, silentLogger)
      const store = new Store(backend, '/registry/')
      const { items, revision } = await backend.range(store.bounds, never)
      const there = new Map(items.map(item => [item.key as string, item.value]))
      for (const key of acknowledged) expect(there.get(key)?.equals(Buffer.alloc(3000, key)), key).to.equal(true)
      expect(revision).to.equal(items.length + 1)
      await store.put('again', 0, 'x')
      await backend.close()
    })
  }

  it('opens a copy taken at the moment of an acknowledgement', async () => {
    const dir = join(work, 'moment')
    const backend = await openEmbedded({ dir }, systemClock, silentLogger)
    const store = new Store(backend, '/registry/')
    for (let i = 0; i < 5; i++) {
      await store.put(`k${i}`, 0, 'x')
      const copy = join(work, `moment-${i}`)
      mkdirSync(copy)
      copyFileSync(join(dir, 'data.mdb'), join(copy, 'data.mdb'))
      const other = await openEmbedded({ dir: copy }, systemClock, silentLogger)
      expect((await new Store(other, '/registry/').list()).items).to.have.length(i + 1)
      await other.close()
    }
    await backend.close()
  })
})
