import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { systemClock } from '../../../../src/lib/clock.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import { openEmbedded } from '../../../../src/storage/embedded/open-embedded.ts'
import { verifyStore } from '../../../../src/storage/embedded/verify-store.ts'
import { never, Store } from '../../../support/backend.ts'
import { bundledProgram } from '../../../support/bundled-program.ts'

const program = await bundledProgram(fileURLToPath(new URL('../../../support/embedded-filler.ts', import.meta.url)))
const skip = process.platform === 'win32' ? 'there is no ulimit' : undefined
const suite = skip ? describe.skip : describe

suite(`embedded store where the disk takes no more${skip ? ` (skipped: ${skip})` : ''}`, () => {
  let dir: string
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'full-'))
  })
  after(() => rmSync(dir, { recursive: true, force: true }))

  it('fails whole groups of writes, keeps running, and keeps acknowledged writes', async () => {
    // A limit on the size of files stands for a full disk: node ignores SIGXFSZ, so writes fail.
    const command = 'ulimit -f 8192 && exec "$0" "$1" "$2"'
    const output = execFileSync('sh', ['-c', command, process.execPath, program, dir], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
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

/** Mounts a file system of a few megabytes. False if this process may not. */
const mountSmall = (dir: string): boolean =>
  process.platform === 'linux' && spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', dir]).status === 0
const unmount = (dir: string): void => void spawnSync('umount', ['-l', dir])

function mountable(): boolean {
  const dir = mkdtempSync(join(tmpdir(), 'full-'))
  const isMounted = mountSmall(dir)
  if (isMounted) unmount(dir)
  rmSync(dir, { recursive: true, force: true })
  return isMounted
}
const withoutMount = mountable() ? undefined : 'a small file system takes Linux and the right to mount'
const fullSuite = withoutMount ? describe.skip : describe

fullSuite(`embedded store on a full disk${withoutMount ? ` (skipped: ${withoutMount})` : ''}`, () => {
  let dir: string
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'full-'))
    expect(mountSmall(dir)).to.equal(true)
  })
  after(() => {
    unmount(dir)
    rmSync(dir, { recursive: true, force: true })
  })

  it('reports that no space is left, prints nothing else, and is undamaged with all acknowledged writes', async () => {
    const store = join(dir, 'store')
    const { stdout, stderr } = spawnSync(process.execPath, [program, store], { encoding: 'utf8' })
    const { acknowledged, failures } = JSON.parse(stdout.trim().split('\n').at(-1)!)
    expect(new Set(failures)).to.deep.equal(new Set(['unavailable: the store cannot commit: no space left on device']))
    expect(stderr).to.equal('')
    const { lines } = await verifyStore(store)
    expect(lines).to.deep.equal([])
    const backend = await openEmbedded({ dir: store }, systemClock, silentLogger)
    const { items } = await backend.range(new Store(backend, '/registry/').bounds, never)
    await backend.close()
    expect(new Set(items.map(item => item.key as string))).to.deep.equal(new Set(acknowledged))
  })
})
