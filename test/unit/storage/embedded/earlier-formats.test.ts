import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Database, open } from 'lmdb'
import { systemClock } from '../../../../src/lib/clock.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import { metaPage } from '../../../../src/storage/embedded/data-file/meta-page.ts'
import { PAGE_BYTES } from '../../../../src/storage/embedded/environment.ts'
import { openEmbedded } from '../../../../src/storage/embedded/open-embedded.ts'
import { openTables } from '../../../../src/storage/embedded/tables.ts'
import { verifyStore } from '../../../../src/storage/embedded/verify-store.ts'
import { codeOf, never, Store } from '../../../support/backend.ts'

const TABLES = ['log', 'latest', 'deleted', 'expiry', 'meta'] as const
/** Size of the pages of stores that earlier programs have made. */
const EARLIER_PAGE_BYTES = 4096
const binary = { encoding: 'binary', keyEncoding: 'binary', cache: false } as const

/** Runs a function on the tables as LMDB has them, with checksums if there are any. */
async function withRaw(dir: string, use: (table: (name: string) => Database<Buffer, Buffer>) => void): Promise<void> {
  const root = open<Buffer, Buffer>({ path: dir, maxDbs: 8, pageSize: EARLIER_PAGE_BYTES, ...binary })
  root.transactionSync(() => use(name => root.openDB<Buffer, Buffer>({ name, ...binary })))
  await root.close()
}

const number = (n: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(n))
  return bytes
}

describe('a store of an earlier format', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'formats-'))
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  /** Makes a store, and copies it as a program without checksums has it. */
  async function earlier(format: 1 | 2): Promise<string[]> {
    const backend = await openEmbedded({ dir: join(dir, 'now'), keepsHistory: format === 2 }, systemClock, silentLogger)
    const store = new Store(backend, '/registry/')
    const first = await store.put('changed', 0, 'a')
    await store.put('changed', first, Buffer.alloc(10_000, 'b'))
    await store.put('gone', 0, 'c').then(revision => store.remove('gone', revision))
    await store.put('expires', 0, 'd', 3600)
    const { items } = await store.list()
    await backend.close()
    const tables = await openTables(join(dir, 'now'))
    await withRaw(join(dir, 'then'), table => {
      for (const name of TABLES)
        for (const { key, value } of tables[name].getRange({})) {
          if (key.toString() === 'checked') continue
          table(name).putSync(key, key.toString() === 'format' ? number(format) : Buffer.from(value))
        }
    })
    await tables.close()
    return items
  }

  for (const format of [1, 2] as const) {
    it(`in format ${format} is read, written with checksums, and rejected by older programs from then on`, async () => {
      const items = await earlier(format)
      const store = join(dir, 'then')
      const before = await verifyStore(store)
      expect(before.lines).to.deep.equal([])
      expect(before.unchecked).to.be.greaterThan(5)
      for (const added of [0, 1]) {
        const backend = await openEmbedded({ dir: store, keepsHistory: format === 2 }, systemClock, silentLogger)
        const reading = new Store(backend, '/registry/')
        expect((await reading.list()).items.filter(item => !item.startsWith('new'))).to.deep.equal(items)
        await reading.put(`new-${added}`, 0, 'x')
        await backend.close()
      }
      const after = await verifyStore(store)
      expect(after.lines).to.deep.equal([])
      expect(after.unchecked).to.equal(before.unchecked)
      // It reads the eight bytes of this row as they are, and compares them with its own format.
      await withRaw(store, table => expect(table('meta').getBinary(Buffer.from('format'))).to.deep.equal(number(3)))
    })
  }

  it('keeps the size of its pages', async () => {
    const sizeIn = (store: string): number | undefined => metaPage(readFileSync(join(dir, store, 'data.mdb')))?.pageSize
    await earlier(1)
    const backend = await openEmbedded({ dir: join(dir, 'then') }, systemClock, silentLogger)
    const store = new Store(backend, '/registry/')
    for (let i = 0; i < 200; i++) await store.put(`long-${i}`, 0, Buffer.alloc(3000 + 30 * i, 'x'))
    await backend.close()
    expect((await verifyStore(join(dir, 'then'))).lines).to.deep.equal([])
    expect([sizeIn('now'), sizeIn('then')]).to.deep.equal([PAGE_BYTES, EARLIER_PAGE_BYTES])
  })

  it('contains no rows without checksums if it was created with them', async () => {
    const backend = await openEmbedded({ dir }, systemClock, silentLogger)
    const store = new Store(backend, '/registry/')
    const revision = await store.put('a', 0, 'x')
    await backend.close()
    const id = number(revision)
    await withRaw(dir, table => table('log').putSync(id, Buffer.from(table('log').getBinary(id)!.subarray(5))))
    expect((await verifyStore(dir)).lines).to.deep.equal([
      `/registry/a: its value, revision ${revision}, is damaged (revision ${revision} of /registry/a has no checksum)`,
    ])
    expect(await codeOf(openEmbedded({ dir }, systemClock, silentLogger))).to.equal('corrupt')
  })

  it('refuses to read a row that was damaged while the store is open', async () => {
    const backend = await openEmbedded({ dir }, systemClock, silentLogger)
    const store = new Store(backend, '/registry/')
    const revision = await store.put('a', 0, 'value')
    await store.put('b', 0, 'value')
    await withRaw(dir, table => {
      const bytes = Buffer.from(table('log').getBinary(number(revision))!)
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
      table('log').putSync(number(revision), bytes)
    })
    const error = await backend.get('/registry/a' as never, never).catch(e => e)
    expect(error.code).to.equal('corrupt')
    expect(error.message).to.equal(`the store in ${dir} is damaged: revision ${revision} of /registry/a does not match its checksum`)
    expect((await backend.get('/registry/b' as never, never)).item?.value.toString()).to.equal('value')
    await backend.close()
  })
})
