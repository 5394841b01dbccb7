import { expect } from 'chai'
import type { EncodedPage } from '../../../../src/storage/backend.ts'
import { encodedPage, type PageMemory } from '../../../../src/storage/etcd/encoded-page.ts'
import { decodeLongRange } from '../../../../src/storage/etcd/messages.ts'
import { etcdMessage } from '../../../support/etcd-messages.ts'

const header = { revision: '77' }
const kvs = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    key: Buffer.from(`/registry/pods/${String(i).padStart(6, '0')}`),
    create_revision: i + 1,
    mod_revision: 2 ** 40 + i,
    version: 2,
    value: Buffer.from(`value ${i}`),
    lease: 0,
  }))
const response = (count: number, more = false) =>
  etcdMessage('RangeResponse', { header, kvs: kvs(count), more, count: more ? 9_000_000 : count })

const memoryOf = (bytes: Buffer, isKeepable = false): PageMemory => ({ bytes, isKeepable, isKept: false })

async function visited(page: EncodedPage): Promise<object[]> {
  const items: object[] = []
  await page.visit(({ key, value, modRevision, createRevision }) =>
    items.push({ key, value: value.toString(), modRevision, createRevision }),
  )
  return items
}

describe('storage/etcd/encoded-page', () => {
  for (const [count, more] of [
    [0, false],
    [1, false],
    [3, true],
    [20_000, true],
  ] as const)
    it(`has ${count} items, the same as a decoded response`, async () => {
      const bytes = response(count, more)
      const page = await encodedPage(memoryOf(bytes), count)
      const { items, ...expected } = await decodeLongRange(bytes)
      expect(page).to.include({ ...expected, length: count, last: items.at(-1)?.key, bytes: bytes.length })
      expect(await visited(page)).to.deep.equal(items.map(({ value, ...item }) => ({ ...item, value: value.toString() })))
    })

  it('may end anywhere if its response names a cluster, as those of kine do not', async () => {
    expect(await encodedPage(memoryOf(response(1)))).to.include({ endsAnywhere: false })
    const named = etcdMessage('RangeResponse', { header: { cluster_id: '12', revision: '77' }, kvs: kvs(1), count: 1 })
    expect(await encodedPage(memoryOf(named))).to.include({ endsAnywhere: true, revision: 77 })
  })

  it('has no more items than were requested', async () => {
    expect(await encodedPage(memoryOf(response(5)), 5)).to.include({ length: 5 })
    expect(await encodedPage(memoryOf(response(5)), 4).catch(String)).to.equal('RangeError: there are more keys than were requested')
  })

  it('fails at a malformed item when those before it have been taken, and at a response that breaks off', async () => {
    const bytes = response(3)
    // The second item has a value that is longer than the item.
    bytes.writeUInt8(0x7f, bytes.indexOf('value 1') - 1)
    const page = await encodedPage(memoryOf(bytes))
    const taken: string[] = []
    expect(await page.visit(({ key }) => taken.push(key)).catch(String)).to.match(/ProtobufError/)
    expect(taken).to.deep.equal(['/registry/pods/000000'])
    const whole = response(3)
    expect(await encodedPage(memoryOf(whole.subarray(0, whole.length - 30))).catch(String)).to.match(/ProtobufError/)
  })

  it('stops at the error of the caller', async () => {
    const page = await encodedPage(memoryOf(response(3)))
    let taken = 0
    const fail = (): void => {
      if (++taken === 2) throw new Error('no more')
    }
    expect(await page.visit(fail).catch(String)).to.equal('Error: no more')
    expect(taken).to.equal(2)
  })
})
