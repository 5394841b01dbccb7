import { copyFileSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../../../src/lib/clock.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import { seededRandom } from '../../../../src/lib/seeded-random.ts'
import { metaPage } from '../../../../src/storage/embedded/data-file/meta-page.ts'
import { PAGE_BYTES } from '../../../../src/storage/embedded/environment.ts'
import { openEmbedded } from '../../../../src/storage/embedded/open-embedded.ts'
import { verifyStore } from '../../../../src/storage/embedded/verify-store.ts'
import { never, Store } from '../../../support/backend.ts'

/** Copies of each store, each with other flipped bits: DAMAGED_COPIES=1000 tries more. */
const COPIES = Number(process.env.DAMAGED_COPIES ?? 60)
const SEED = Number(process.env.DAMAGE_SEED ?? 1)

type Values = Map<string, string>

async function valuesIn(dir: string, servesDamaged = false): Promise<Values> {
  const backend = await openEmbedded({ dir, servesDamaged }, systemClock, silentLogger)
  try {
    const { items } = await backend.range(new Store(backend, '/registry/').bounds, never)
    return new Map(
      items.map(({ key, value, createRevision, modRevision }) => [
        key as string,
        `${createRevision}/${modRevision} ${value.toString('latin1')}`,
      ]),
    )
  } finally {
    await backend.close()
  }
}

/** A store with values of all lengths, deletions, times to live, and pages that are free again. */
async function fill(dir: string, keepsHistory: boolean): Promise<void> {
  const random = seededRandom(SEED)
  const backend = await openEmbedded({ dir, keepsHistory }, systemClock, silentLogger)
  const store = new Store(backend, '/registry/')
  const revisions = new Map<string, number>()
  for (let round = 0; round < 8; round++) {
    const names = new Set(
      Array.from({ length: 40 }, () => `configmaps/ns-${Math.floor(random() * 9)}/object-${Math.floor(random() * 120)}`),
    )
    await Promise.all(
      [...names].map(async name => {
        const before = revisions.get(name) ?? 0
        if (before !== 0 && random() < 0.2) {
          await store.remove(name, before)
          revisions.delete(name)
        } else {
          const value = Buffer.alloc(Math.floor(random() < 0.1 ? 3000 + random() * 20_000 : random() * 900), `${name} ${round} `)
          revisions.set(name, await store.put(name, before, value, ...(random() < 0.2 ? [3600] : [])))
        }
      }),
    )
  }
  if (!keepsHistory) await backend.compact((await backend.currentRevision(never)) as never, never)
  await backend.close()
}

for (const keepsHistory of [false, true]) {
  describe(`embedded store with flipped bits, ${keepsHistory ? 'with' : 'without'} history`, () => {
    let dir: string
    let whole: Buffer
    let values: Values
    before(async () => {
      dir = mkdtempSync(join(tmpdir(), 'damage-'))
      await fill(join(dir, 'whole'), keepsHistory)
      values = await valuesIn(join(dir, 'whole'))
      whole = readFileSync(join(dir, 'whole/data.mdb'))
    })
    after(() => rmSync(dir, { recursive: true, force: true }))

    /** A directory with a copy of the store in which some bits are flipped, within the first `share` of the file. */
    function damagedCopy(name: string, bits: readonly number[]): string {
      const copy = join(dir, name)
      rmSync(copy, { recursive: true, force: true })
      mkdirSync(copy, { mode: 0o700 })
      const bytes = Buffer.from(whole)
      for (const bit of bits) bytes[bit >>> 3] = (bytes[bit >>> 3] ?? 0) ^ (1 << (bit & 7))
      writeFileSync(join(copy, 'data.mdb'), bytes, { mode: 0o600 })
      copyFileSync(join(dir, 'whole/lock.mdb'), join(copy, 'lock.mdb'))
      return copy
    }

    it('is sound as it was written', async () => {
      const found = await verifyStore(join(dir, 'whole'))
      expect(found.lines).to.deep.equal([])
      expect(found.unchecked).to.equal(0)
      expect(values.size).to.be.greaterThan(100)
    })

    const places: readonly (readonly [name: string, bit: (random: () => number) => number])[] = [
      ['anywhere', random => Math.floor(random() * whole.length * 8)],
      ['in the heads of the file', random => (random() < 0.5 ? 0 : PAGE_BYTES * 8) + Math.floor(random() * 168 * 8)],
      [
        'in the heads of pages',
        random => Math.floor((random() * whole.length) / PAGE_BYTES) * PAGE_BYTES * 8 + Math.floor(random() * 40 * 8),
      ],
    ]
    for (const [where, bit] of places) {
      it(`is rejected in one line that names the damage, or serves intact values: ${COPIES} copies with bits flipped ${where}`, async () => {
        const random = seededRandom(SEED + where.length)
        const counts = { damaged: 0, served: 0 }
        for (let n = 0; n < COPIES; n++) {
          const bits = Array.from({ length: 1 + Math.floor(random() * 3) }, () => bit(random))
          const told = `copy ${n} of seed ${SEED}, bits ${bits.join(',')}`
          const copy = damagedCopy('copy', bits)
          const error = await valuesIn(copy).then(
            served => expect([...served], told).to.deep.equal([...values]) && undefined,
            (reason: Error & { code?: string }) => reason,
          )
          if (error === undefined) {
            counts.served++
            continue
          }
          counts.damaged++
          expect(error.code, `${told}: ${error.stack}`).to.equal('corrupt')
          expect(error.message, told).to.include(copy).and.not.include('\n')
          await expectRest(copy, told)
        }
        expect(counts.damaged, 'copies that were refused').to.be.greaterThan(0)
      })
    }

    it('serves every key with the flag if only the list of free pages is damaged', async () => {
      const heads = [0, PAGE_BYTES].flatMap(offset => metaPage(whole.subarray(offset)) ?? [])
      const newest = heads.reduce((a, b) => (b.transaction > a.transaction ? b : a))
      // The number that the list's first page has in its head.
      const copy = damagedCopy('free', [(newest.free.root ?? 0) * PAGE_BYTES * 8])
      const { lines } = await verifyStore(copy)
      expect(lines).to.have.length(1)
      expect(lines[0]).to.include('the list of free pages')
      expect([...(await valuesIn(copy, true))]).to.deep.equal([...values])
    })

    it('serves the undamaged part of a truncated file with the flag', async () => {
      const copy = damagedCopy('cut', [])
      const served: number[] = []
      for (let pages = whole.length / PAGE_BYTES - 1; pages > 2; pages -= 5) {
        rmSync(copy, { recursive: true, force: true })
        mkdirSync(copy, { mode: 0o700 })
        writeFileSync(join(copy, 'data.mdb'), whole.subarray(0, pages * PAGE_BYTES), { mode: 0o600 })
        const error = await valuesIn(copy).catch((reason: Error) => reason)
        expect(String(error)).to.include('is cut short')
        const rest = await valuesIn(copy, true).catch((reason: Error & { code?: string }) => {
          expect(reason.code, reason.stack).to.equal('corrupt')
          return new Map<string, string>()
        })
        for (const [key, value] of rest) expect(value, key).to.equal(values.get(key))
        served.push(rest.size)
      }
      expect(Math.max(...served)).to.be.greaterThan(0)
    })

    /** With the flag, keys are whole or lost, and each that is lost is named, by itself or by the rows it was among. */
    async function expectRest(copy: string, told: string): Promise<void> {
      const { lines } = await verifyStore(copy).catch(() => ({ lines: [] as string[] }))
      const rest = await valuesIn(copy, true).catch((reason: Error & { code?: string }) => {
        expect(reason.code, `${told}: ${reason.stack}`).to.equal('corrupt')
        return new Map<string, string>()
      })
      for (const [key, value] of rest) expect(value, `${told}: ${key}`).to.equal(values.get(key))
      if (rest.size === 0) return
      // A key that is damaged itself is named as it is.
      const isVague = lines.some(
        line =>
          line.includes('cannot be read') || !values.has(/^the entry of (.*) does not/.exec(line)?.[1] ?? [...values.keys()][0] ?? ''),
      )
      for (const key of values.keys()) if (!rest.has(key) && !isVague) expect(lines.join('\n'), told).to.include(key)
      expect((await verifyStore(copy)).lines, told).to.deep.equal([])
    }
  })
}

describe('embedded store whose data is lost', () => {
  it('is refused and not created again if its file is empty', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'damage-'))
    try {
      await (await openEmbedded({ dir }, systemClock, silentLogger)).close()
      writeFileSync(join(dir, 'data.mdb'), '')
      for (const servesDamaged of [false, true]) {
        const error = await openEmbedded({ dir, servesDamaged }, systemClock, silentLogger).catch(e => e)
        expect(error.code).to.equal('corrupt')
        expect(error.message).to.include(join(dir, 'data.mdb')).and.include('is empty')
      }
      expect(readFileSync(join(dir, 'data.mdb')).length).to.equal(0)
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  })

  it('is refused if its file has another name, through which another server may write it', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'damage-'))
    const [one, other] = [join(dir, 'one'), join(dir, 'other')]
    try {
      await (await openEmbedded({ dir: one }, systemClock, silentLogger)).close()
      mkdirSync(other)
      linkSync(join(one, 'data.mdb'), join(other, 'data.mdb'))
      for (const each of [one, other]) {
        const error = await openEmbedded({ dir: each }, systemClock, silentLogger).catch(e => e)
        expect(error.code).to.equal('corrupt')
        expect(error.message).to.include(join(each, 'data.mdb')).and.include('a hard link')
      }
      rmSync(other, { recursive: true })
      await (await openEmbedded({ dir: one }, systemClock, silentLogger)).close()
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  })
})

describe('embedded store whose log and latest changes are damaged', () => {
  const [first, second] = ['configmaps/ns/first', 'configmaps/ns/second']

  /** Changes the record of one key, and the row of another by which its newest record is found. */
  async function damaged(dir: string, record: string, latest: string): Promise<void> {
    const backend = await openEmbedded({ dir }, systemClock, silentLogger)
    const store = new Store(backend, '/registry/')
    for (const name of [first, second]) await store.put(name, 0, Buffer.from(`value of ${name}`))
    await backend.close()
    const path = join(dir, 'data.mdb')
    const bytes = readFileSync(path)
    const flipAt = (text: string, offset: (at: number) => number | undefined): void => {
      for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
        const place = offset(at)
        if (place !== undefined) bytes[place] = (bytes[place] ?? 0) ^ 1
      }
    }
    flipAt(`value of ${record}`, at => at)
    // A record has the value behind the key; the row has a checksum.
    flipAt(`/registry/${latest}`, at => {
      const end = at + `/registry/${latest}`.length
      return bytes.toString('latin1', end, end + 5) === 'value' ? undefined : end + 8
    })
    writeFileSync(path, bytes)
  }

  for (const [what, record, latest, rest] of [
    ['serves a record that is newer than all that cannot be read', first, second, [second]],
    ['leaves out a record that is older than one that cannot be read, as it may not be the newest', second, first, []],
  ] as const)
    it(what, async () => {
      const dir = mkdtempSync(join(tmpdir(), 'damage-'))
      try {
        await damaged(dir, record, latest)
        const { lines } = await verifyStore(dir)
        expect(lines.join('\n')).to.include(`/registry/${record}`).and.include(`the entry of /registry/${latest}`)
        expect([...(await valuesIn(dir, true)).keys()]).to.deep.equal(rest.map(name => `/registry/${name}`))
      } finally {
        rmSync(dir, { recursive: true, force: true })
      }
    })
})
