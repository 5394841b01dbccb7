import { expect } from 'chai'
import protobuf from 'protobufjs'
import { Status } from '../../../../src/protocols/grpc/call-failure.ts'
import type { MessageStream } from '../../../../src/protocols/grpc/message-stream.ts'
import { encodeRange } from '../../../../src/storage/etcd/messages.ts'
import { etcdRangeStream } from '../../../../src/storage/etcd/range-stream.ts'
import { key, revision } from '../../../../src/storage/revision.ts'
import { codeOf } from '../../../support/backend.ts'
import { HeldTime } from '../../../support/held-time.ts'
import { eventually, turns } from '../../../support/waiting.ts'

const { signal } = new AbortController()
const QUERY = { start: key('/a'), end: key('/b'), at: revision(7) }

/** A RangeStreamResponse with these keys. `last`: with the members that only the last one has. */
function part(names: readonly string[], last = false): Buffer {
  const range = protobuf.Writer.create()
  if (last) range.uint32(0x0a).bytes(protobuf.Writer.create().uint32(0x18).int64(9).finish())
  for (const name of names)
    range
      .uint32(0x12)
      .bytes(
        protobuf.Writer.create()
          .uint32(0x0a)
          .bytes(Buffer.from(name))
          .uint32(0x18)
          .int64(3)
          .uint32(0x2a)
          .bytes(Buffer.from('value'))
          .finish(),
      )
  if (last) range.uint32(0x20).int64(names.length)
  return Buffer.from(protobuf.Writer.create().uint32(0x0a).bytes(range.finish()).finish())
}

/** A connection whose streams send these messages, then end or fail. */
function connectionWith(messages: readonly Buffer[], failure?: { readonly code: number; readonly details: string }) {
  const sent: { message: Buffer; isLast: boolean | undefined }[] = []
  let closed = 0
  const stream = {
    send: (message: Buffer, isLast?: boolean) => void sent.push({ message, isLast }),
    close: () => void closed++,
    async *[Symbol.asyncIterator]() {
      yield* messages
      if (failure) throw Object.assign(new Error(failure.details), failure)
    },
  } as unknown as MessageStream
  return { sent, closed: () => closed, opened: { deadline: () => Date.now() + 60_000, rangeStream: async () => stream } }
}

describe('RangeStream', () => {
  it('reads a range in parts, of which the last is known', async () => {
    const connection = connectionWith([part(['/a/1', '/a/2']), part(['/a/3']), part([], true)])
    const pages = []
    for await (const { items, revision: at, more } of etcdRangeStream(connection.opened)(QUERY, signal) ?? [])
      pages.push({ keys: items.map(item => `${item.key}=${item.value}@${item.modRevision}`), at, more })
    expect(pages).to.deep.equal([
      { keys: ['/a/1=value@3', '/a/2=value@3'], at: 7, more: true },
      { keys: ['/a/3=value@3'], at: 7, more: true },
      { keys: [], at: 7, more: false },
    ])
    expect(connection.sent).to.deep.equal([{ message: encodeRange(QUERY), isLast: true }])
    expect(connection.closed()).to.equal(1)
  })

  it('is not tried for ten minutes after a member did not have it', async () => {
    const connection = connectionWith([], { code: Status.UNIMPLEMENTED, details: 'unknown method RangeStream' })
    let now = 0
    const rangeStream = etcdRangeStream(connection.opened, () => now)
    const read = async (): Promise<void> => {
      for await (const _ of rangeStream(QUERY, signal) ?? []) expect.fail('a page came')
    }
    expect(await codeOf(read())).to.equal('unavailable')
    now = 599_999
    expect(rangeStream(QUERY, signal)).to.equal(undefined)
    now = 600_000
    expect(await codeOf(read())).to.equal('unavailable')
    expect(connection.closed()).to.equal(2)
  })

  it('fails if a part does not come in time, however long its reader takes for one', async () => {
    let close = (): void => {}
    const closed = new Promise<void>(resolve => {
      close = resolve
    })
    const stream = {
      send() {},
      close,
      async *[Symbol.asyncIterator]() {
        yield part(['/a/1'])
        yield part(['/a/2'])
        await closed
        throw Object.assign(new Error('Cancelled on client'), { code: Status.CANCELLED })
      },
    } as unknown as MessageStream
    const names: string[] = []
    const time = HeldTime.hold()
    try {
      const read = async (): Promise<void> => {
        const parts = etcdRangeStream({ deadline: () => Date.now() + 1000, rangeStream: async () => stream })(QUERY, signal) ?? []
        for await (const { items } of parts) {
          names.push(...items.map(item => String(item.key)))
          time.pass(2000)
        }
      }
      const failure = codeOf(read())
      await eventually('a page is read', () => names.length > 0)
      await turns()
      time.pass(1000)
      expect(await failure).to.equal('timeout')
    } finally {
      time.release()
    }
    expect(names).to.deep.equal(['/a/1'])
  })

  it('fails as other calls do', async () => {
    const connection = connectionWith([part(['/a/1'])], {
      code: Status.OUT_OF_RANGE,
      details: 'etcdserver: mvcc: required revision has been compacted',
    })
    const read = async (): Promise<void> => {
      for await (const _ of etcdRangeStream(connection.opened)(QUERY, signal) ?? []);
    }
    expect(await codeOf(read())).to.equal('compacted')
  })
})
