import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { runVerify } from '../../../src/commands/verify.ts'
import { ArgumentError } from '../../../src/lib/arguments.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLogger } from '../../../src/lib/log.ts'
import { openEmbedded } from '../../../src/storage/embedded/open-embedded.ts'
import { codeOf, Store } from '../../support/backend.ts'

describe('binnacle verify', () => {
  let dir: string
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'verify-'))
    const backend = await openEmbedded({ dir: join(dir, 'store') }, systemClock, silentLogger)
    const store = new Store(backend, '/registry/')
    for (const name of ['whole', 'damaged', 'other']) await store.put(name, 0, `the value of ${name}`)
    await backend.close()
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  async function verify(...argv: string[]): Promise<{ status: number; out: string; err: string }> {
    const written = { out: '', err: '' }
    const status = await runVerify(argv, {
      out(text) {
        written.out += text
      },
      err(text) {
        written.err += text
      },
    })
    return { status, ...written }
  }

  const file = (): string => join(dir, 'store/data.mdb')

  it("finds no damage in an intact store, given the data directory or the store's own", async () => {
    for (const directory of [dir, join(dir, 'store')])
      expect(await verify(directory)).to.deep.equal({ status: 0, out: '', err: '11 rows read, no damage\n' })
  })

  it('names the key of a damaged value in one line, and changes nothing', async () => {
    const bytes = readFileSync(file())
    expect(bytes.includes('the value of damaged')).to.equal(true)
    for (let place = bytes.indexOf('the value of damaged'); place >= 0; place = bytes.indexOf('the value of damaged', place + 1))
      bytes[place] = 0x54
    writeFileSync(file(), bytes)
    const { status, out } = await verify(dir)
    expect(status).to.equal(1)
    expect(out).to.equal(
      '/registry/damaged: its value, revision 3, is damaged (revision 3 of /registry/damaged does not match its checksum)\n',
    )
    expect(readFileSync(file()).equals(bytes)).to.equal(true)
  })

  it('reports damaged heads, and files that are no store', async () => {
    writeSync(openSync(file(), 'r+'), 'x', 24)
    expect(await verify(dir)).to.include({ status: 1, out: 'the first meta page is damaged\n' })
    writeFileSync(file(), '')
    expect(await verify(dir)).to.include({ status: 1, out: 'the first meta page is damaged\n' })
  })

  it('requires a directory with a store that no server uses', async () => {
    expect(await codeOf(verify(join(dir, 'nothing')))).to.equal('unavailable')
    const backend = await openEmbedded({ dir: join(dir, 'store') }, systemClock, silentLogger)
    expect(await codeOf(verify(dir))).to.equal('unavailable')
    await backend.close()
    expect(await verify().catch(error => error)).to.be.instanceOf(ArgumentError)
    expect(await verify('--help')).to.include({ status: 0 })
  })
})
