import { expect } from 'chai'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { ResponseMessage } from '../../../../src/protocols/grpc/response-message.ts'
import type { HeldValue, VisitedItem } from '../../../../src/storage/backend.ts'
import type { CallOptions } from '../../../../src/storage/etcd/connection.ts'
import { etcdPageReader } from '../../../../src/storage/etcd/page-reader.ts'
import { key } from '../../../../src/storage/revision.ts'
import { etcdMessage } from '../../../support/etcd-messages.ts'

const FRAME = 16_384
const { signal } = new AbortController()
const query = { start: key('/registry/'), end: key('/registry0'), limit: 10_000 }

/** A page of values of 1 KB, which name the page. */
const pageOf = (count: number, name: string): Buffer =>
  etcdMessage('RangeResponse', {
    header: { revision: '7' },
    kvs: Array.from({ length: count }, (_, i) => ({
      key: Buffer.from(`/registry/${i}`),
      mod_revision: i + 1,
      value: Buffer.from(`${name} ${i}`.padEnd(1000, '.')),
    })),
    count,
  })

/** A reader of pages that arrive in frames. */
function readerOf(...pages: readonly Buffer[]) {
  const left = [...pages]
  return etcdPageReader({
    deadline: () => 0,
    async call(_method: string, _request: Buffer, { memory }: CallOptions) {
      const body = left.shift() ?? Buffer.alloc(0)
      const prefix = Buffer.alloc(5)
      prefix.writeUInt32BE(body.length, 1)
      const message = new ResponseMessage(1 << 30, memory)
      message.add(prefix)
      for (let at = 0; at < body.length; at += FRAME) message.add(Buffer.from(body.subarray(at, at + FRAME)))
      return runAtOnce(message.inSteps())
    },
  })
}

async function itemsOf(read: ReturnType<typeof readerOf>, each: (item: VisitedItem) => void = () => {}): Promise<VisitedItem[]> {
  const items: VisitedItem[] = []
  await (await read(query, signal)).visit(item => {
    items.push(item)
    each(item)
  })
  return items
}

const textOf = ({ memory, start, end }: HeldValue): string => memory.toString('utf8', start, end).replaceAll('.', '')

describe('storage/etcd/page-reader', () => {
  it('keeps the memory of a page that holds a kept value, and reuses that of others', async () => {
    const read = readerOf(...['one', 'two', 'three', 'four'].map(name => pageOf(2000, name)))
    const one = await itemsOf(read, ({ held }) => held?.keep())
    const [two] = await itemsOf(read)
    const [three] = await itemsOf(read)
    await itemsOf(read)
    expect(two?.held && three?.held && two.held.memory.buffer === three.held.memory.buffer).to.equal(true)
    expect(one.map(({ held }) => held && textOf(held))).to.deep.equal(Array.from({ length: 2000 }, (_, i) => `one ${i}`))
    expect(one.every(({ value }, i) => value.toString().startsWith(`one ${i}.`))).to.equal(true)
  })

  it('leaves the bytes before each value to it, and none of another item', async () => {
    const items = await itemsOf(readerOf(pageOf(2000, 'one')), ({ held }) => {
      held?.memory.fill('#', held.start - held.room, held.start)
      held?.keep()
    })
    expect(Math.min(...items.map(({ held }) => held?.room ?? 0))).to.be.greaterThan('/registry/0'.length)
    expect(items.map(({ key }) => key)).to.deep.equal(Array.from({ length: 2000 }, (_, i) => `/registry/${i}`))
    expect(items.map(({ held }) => held && textOf(held))).to.deep.equal(Array.from({ length: 2000 }, (_, i) => `one ${i}`))
  })

  it('has no values to keep in a small page, nor in one that came in one frame', async () => {
    for (const count of [500, 2])
      expect((await itemsOf(readerOf(pageOf(count, 'one')))).map(({ held }) => held)).to.deep.equal(Array(count).fill(undefined))
  })
})
