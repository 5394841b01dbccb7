import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { systemClock } from '../../../../src/lib/clock.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import { openEmbedded } from '../../../../src/storage/embedded/open-embedded.ts'
import { never, Store } from '../../../support/backend.ts'

const program = fileURLToPath(new URL('../../../support/embedded-filler.ts', import.meta.url))
const skip = process.platform === 'win32' ? 'there is no ulimit' : undefined
const suite = skip ? describe.skip : describe

suite(`embedded store where the disk takes no more${skip ? ` (skipped: ${skip})` : ''}`, function () {
  this.timeout(30_000)
  let dir: string
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'full-'))
  })
  after(() => rmSync(dir, { recursive: true, force: true }))

  it('fails writes, whole groups at a time, keeps running and keeps what it acknowledged', async () => {
    // A limit on the size of files stands for a full disk: node ignores SIGXFSZ, so writes fail.
    const command = 'ulimit -f 8192 && exec "$0" --import tsx "$1" "$2"'
    const output = execFileSync('sh', ['-c', command, process.execPath, program, dir], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    const { acknowledged, failures, count, revision } = JSON.parse(output.trim().split('\n').at(-1)!)
    expect(failures.length).to.equal(9)
    for (const failure of failures) expect(failure).to.match(/^unavailable: the store cannot commit: (File too large|Input\/output error)/)
    expect(acknowledged.length).to.be.greaterThan(30)
    expect([count, revision]).to.deep.equal([acknowledged.length, acknowledged.length + 1])

    const backend = await openEmbedded({ dir }, systemClock, silentLogger)
    const store = new Store(backend, '/registry/')
    const { items } = await backend.range(store.bounds, never)
    expect(new Set(items.map(item => item.key as string))).to.deep.equal(new Set(acknowledged))
    await store.put('room again', 0, Buffer.alloc(20_000))
    await backend.close()
  })
})
