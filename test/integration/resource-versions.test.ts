import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import { findEtcd } from '../support/etcd.ts'
import { type Cell, expectedUnder, type Request, SETTINGS, type Setting } from '../support/resource-versions/cell.ts'
import { type Chunks, listInChunks } from '../support/resource-versions/chunks.ts'
import type { Form } from '../support/resource-versions/observe.ts'
import { ownWorld, type StoreName } from '../support/resource-versions/own-world.ts'
import { requests } from '../support/resource-versions/requests.ts'
import { type Row, runTable } from '../support/resource-versions/run.ts'
import { idOf, readTable } from '../support/resource-versions/table.ts'

/** Much of a server's time is waiting. */
const SIDE_BY_SIDE = 3

const table = readTable()
const byId = new Map(table.map(cell => [idOf(cell), cell]))
const cellOf = (request: Request): Cell => byId.get(idOf(request)) as Cell

/** By default in every form; under a setting in one or the other, as it changes nothing about forms. */
const formsUnder =
  (setting: Setting | undefined) =>
  (_: Request, index: number): readonly Form[] => {
    if (setting === undefined) return ['json', 'protobuf', 'cbor']
    return index % 2 === 0 ? ['json'] : ['protobuf']
  }

/** Cells of the table by what they ask, for the names of the tests. */
const GROUPS: readonly (readonly [name: string, belongs: (cell: Cell) => boolean])[] = [
  ['gets', ({ do: line }) => /^GET [^?]*\/configmaps\/[^?]+/.test(line)],
  ['lists by their labels', ({ do: line, token }) => line.startsWith('GET') && token === undefined && line.includes('labelSelector')],
  ['lists by their fields', ({ do: line, token }) => line.startsWith('GET') && token === undefined && line.includes('fieldSelector')],
  ['continued lists', ({ do: line, token }) => line.startsWith('GET') && (token !== undefined || line.includes('continue='))],
  ['lists', ({ do: line }) => line.startsWith('GET')],
  ['watches with initial events', ({ do: line }) => line.includes('sendInitialEvents')],
  ['watches', () => true],
]
const groupOf = (cell: Cell): string => GROUPS.find(([, belongs]) => belongs(cell))?.[0] ?? ''

/**
 * Every cell of the table of resource versions, with the recorded response of kube-apiserver. Each server gets all
 * requests before the tests, and some servers run side by side.
 */
function resourceVersions(store: StoreName): void {
  const rows = new Map<Setting | undefined, readonly Row[]>()
  const lists = new Map<Setting | undefined, Chunks>()
  before(async function () {
    this.timeout(600_000)
    const run = async (setting: Setting | undefined): Promise<void> => {
      const world = await ownWorld(store, setting)
      try {
        const isAsExpected = ({ request, seen }: Row): boolean => isDeepStrictEqual(seen, expectedUnder(cellOf(request), setting))
        rows.set(setting, (await runTable(world, table, formsUnder(setting), watched => watched.every(isAsExpected))).rows)
        lists.set(setting, await listInChunks(world))
      } finally {
        await world.close()
      }
    }
    const left = [undefined, ...SETTINGS].values()
    const worker = async (): Promise<void> => {
      for (const setting of left) await run(setting)
    }
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker))
  })
  for (const setting of [undefined, ...SETTINGS])
    describe(setting === undefined ? 'by default' : `with ${setting}`, () => {
      for (const [name] of GROUPS)
        it(name, () => {
          let compared = 0
          for (const { request, form, seen } of rows.get(setting) ?? []) {
            const cell = cellOf(request)
            if (groupOf(cell) !== name) continue
            compared++
            expect(seen, `${idOf(request)} (${form})`).to.deep.equal(expectedUnder(cell, setting))
          }
          expect(compared).to.be.above(20)
        })

      it('lists in chunks are consistent during writes', () => {
        const { whole, chunks } = lists.get(setting) as Chunks
        expect(chunks.flatMap(({ names }) => names)).to.deep.equal(whole.names)
        expect(new Set(chunks.map(({ version }) => version))).to.deep.equal(new Set([whole.version]))
        const left = chunks.map((_, index) => whole.names.length - 3 * (index + 1))
        expect(chunks.map(({ remaining }) => remaining)).to.deep.equal(left.map(count => (count > 0 ? count : undefined)))
      })

      it('a chunk of a compacted version is rejected with a token that continues with the current state', () => {
        const { first, expired, rest, after } = lists.get(setting) as Chunks
        expect([expired.status, expired.reason, expired.token === '']).to.deep.equal([410, 'Expired', false])
        expect(first.names.concat(rest.flatMap(({ names }) => names))).to.deep.equal(
          first.names.slice(0, 3).concat(after.names.filter(name => name > (first.names[2] ?? ''))),
        )
        // In etcd servers agree on a compaction by a key, whose revision is the newest then.
        expect(new Set(rest.map(({ version }) => version))).to.deep.equal(new Set([after.version + (store === 'etcd' ? 1 : 0)]))
      })
    })
}

describe('resource versions', () => {
  it('have a request for every cell of the table', () => {
    expect(table.map(idOf)).to.deep.equal(requests().map(idOf))
  })

  describe('on the embedded store', () => resourceVersions('embedded'))

  const etcdFound = findEtcd() !== undefined
  const onEtcd = etcdFound ? describe : describe.skip
  onEtcd(`on etcd${etcdFound ? '' : ' (skipped: there is no etcd here; hack/etcd installs one)'}`, () => resourceVersions('etcd'))
})
