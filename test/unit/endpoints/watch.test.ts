import { expect } from 'chai'
import type { Framing } from '../../../src/endpoints/forms/framing.ts'
import { listOptions } from '../../../src/endpoints/list-options.ts'
import { watch } from '../../../src/endpoints/watch.ts'
import { failure, type StatusError } from '../../../src/meta/status.ts'
import { revision } from '../../../src/storage/revision.ts'
import type { StorageEvent, Watcher } from '../../../src/storage/storage.ts'
import { StorageError } from '../../../src/storage/storage.ts'
import { FakeExchange, scopeOf } from '../../support/exchange.ts'
import { NEVER, refusalText, TestRegistry } from '../../support/test-registry.ts'
import { eventually, turns } from '../../support/waiting.ts'

/** Frames of one word. `made` counts frames of objects that were made rather than shared. */
function words(id: string | undefined): Framing & { made: string[] } {
  const made: string[] = []
  return {
    made,
    contentType: 'text/plain',
    messages: { text: true, leadBytes: 0 },
    id,
    object(type, object) {
      made.push(`${type} ${object.attributes().name}`)
      return Buffer.from(`${type} ${object.attributes().name}\n`)
    },
    bookmark: (resourceVersion, initialEnd) => Buffer.from(`BOOKMARK ${resourceVersion}${initialEnd ? ' end' : ''}\n`),
    error: ({ code, message }: StatusError) => Buffer.from(`ERROR ${code} ${message}\n`),
  }
}

let ids = 0
function open(t: TestRegistry, search: string, framing: Framing = words(`words${ids++}`), shutdown = NEVER) {
  const exchange = new FakeExchange('/x', { search: `watch=1&${search}` })
  const scope = scopeOf(t, exchange, 'watch', { shutdown })
  const done = listOptions(exchange, t.served().version, '', { watchList: true }).then(options => watch(scope, options, () => framing))
  return { exchange, stream: exchange.streamed, done }
}

/** A registry whose watches deliver the test's events. */
function scripted(batches: () => AsyncIterable<readonly StorageEvent[]>): { t: TestRegistry; closed: () => number } {
  const t = new TestRegistry()
  let closed = 0
  t.store.storage.watch = async (): Promise<Watcher> => ({
    async deliver(take) {
      for await (const batch of batches()) if (!(await take(batch))) break
    },
    close: () => closed++,
  })
  return { t, closed: () => closed }
}

describe('a watch', () => {
  it('ends immediately if the client disconnected before it begins', async () => {
    const { exchange, done } = open(new TestRegistry(), '')
    exchange.client.abort()
    expect(await refusalText(done)).to.match(/^504 ServerTimeout: /)
  })

  it('ends immediately if the server began to shut down before it begins', async () => {
    const shutdown = new AbortController()
    const { done } = open(new TestRegistry(), '', undefined, shutdown.signal)
    shutdown.abort()
    expect(await refusalText(done)).to.match(/^504 ServerTimeout: /)
  })

  it('streams initial events and changes until the client disconnects', async () => {
    const t = new TestRegistry()
    t.now = Date.now()
    await t.create({ name: 'a' })
    const { exchange, stream, done } = open(t, 'allowWatchBookmarks=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan')
    await eventually('initial events', () => stream.text.includes('end'))
    expect([exchange.status, exchange.contentType]).to.deep.equal([200, 'text/plain'])
    await t.create({ name: 'b' })
    await t.update('a', { size: 2 })
    await t.store.delete(t.target('a'), {})
    await eventually('changes', () => stream.text.includes('DELETED'))
    exchange.client.abort()
    await done
    expect(stream.text).to.equal('ADDED a\nBOOKMARK 2 end\nADDED b\nMODIFIED a\nDELETED a\n')
    expect(stream.open).to.equal(false)
    expect(t.backend.watches).to.deep.equal([])
  })

  it('ends after its timeout', async () => {
    const t = new TestRegistry()
    const started = Date.now()
    const { stream, done } = open(t, 'timeoutSeconds=1')
    await done
    expect(Date.now() - started).to.be.at.least(900)
    expect([stream.open, stream.text]).to.deep.equal([false, ''])
    expect(t.backend.watches).to.deep.equal([])
  })

  it('prepares the frames of large objects one by one, after the events before them are written', async () => {
    const t = new TestRegistry()
    const { exchange, stream, done } = open(t, '', {
      ...words(undefined),
      prepare(type, object) {
        const { name } = object.attributes()
        return name.startsWith('large') ? async () => void written.push(`${type} ${name} after ${JSON.stringify(stream.text)}`) : undefined
      },
    })
    const written: string[] = []
    for (const name of ['a', 'large1', 'b', 'large2', 'large3']) await t.create({ name })
    await eventually('changes', () => stream.text.includes('large3'))
    exchange.client.abort()
    await done
    expect(stream.text).to.equal('ADDED a\nADDED large1\nADDED b\nADDED large2\nADDED large3\n')
    expect(written).to.deep.equal([
      'ADDED large1 after "ADDED a\\n"',
      'ADDED large2 after "ADDED a\\nADDED large1\\nADDED b\\n"',
      'ADDED large3 after "ADDED a\\nADDED large1\\nADDED b\\nADDED large2\\n"',
    ])
  })

  it('ends when the server shuts down', async () => {
    const t = new TestRegistry()
    const shutdown = new AbortController()
    const { stream, done } = open(t, '', undefined, shutdown.signal)
    await eventually('it is open', () => t.backend.watches.length === 1)
    shutdown.abort()
    await done
    expect(stream.open).to.equal(false)
  })

  it('ends if the client is too slow', async () => {
    const t = new TestRegistry()
    const { stream, done } = open(t, '')
    await eventually('it is open', () => t.backend.watches.length === 1)
    stream.accepts = 1
    for (const name of ['a', 'b', 'c']) {
      await t.create({ name })
      await new Promise(setImmediate)
    }
    await done
    expect(stream.writes).to.have.length(1)
    expect(t.backend.watches).to.deep.equal([])
  })

  it('ends if the form cannot represent an object', async () => {
    const t = new TestRegistry()
    await t.create({ name: 'a' })
    const { stream, done } = open(t, '', { ...words(undefined), object: () => undefined })
    await done
    expect([stream.text, stream.open]).to.deep.equal(['', false])
  })

  it('reports an expired resourceVersion in the stream', async () => {
    const t = new TestRegistry()
    for (const name of ['a', 'b', 'c']) await t.create({ name })
    await t.backend.compact(revision(4), NEVER)
    const { exchange, stream, done } = open(t, 'resourceVersion=1')
    await done
    expect(exchange.status).to.equal(200)
    expect([stream.text, stream.open]).to.deep.equal(['ERROR 410 The resourceVersion for the provided watch is too old.\n', false])
  })

  it('reports a future resourceVersion in the stream', async () => {
    const { stream, done } = open(new TestRegistry(), 'resourceVersion=9&sendInitialEvents=1&resourceVersionMatch=NotOlderThan')
    await done
    expect(stream.text).to.equal('ERROR 504 Timeout: Too large resource version: 9, current: 1\n')
  })

  it('refuses an unsupported form when the watch is open, and closes the watch', async () => {
    const noForm = () => {
      throw failure(406, 'NotAcceptable', 'no such form')
    }
    const refusedBy = async (t: TestRegistry, resourceVersion: string) => {
      const exchange = new FakeExchange('/x', { search: `watch=1&resourceVersion=${resourceVersion}` })
      const options = await listOptions(exchange, t.served().version, '', { watchList: true })
      return [await refusalText(watch(scopeOf(t, exchange, 'watch', { shutdown: NEVER }), options, noForm)), exchange.status]
    }
    const { t, closed } = scripted(async function* () {})
    expect(await refusedBy(t, '7')).to.deep.equal(['406 NotAcceptable: no such form', 0])
    expect(closed()).to.equal(1)
    expect((await refusedBy(new TestRegistry(), 'x'))[0]).to.match(/^500 : /)
  })

  it('reports other errors before it streams', async () => {
    const { exchange, done } = open(new TestRegistry(), 'resourceVersion=x')
    expect(await refusalText(done)).to.match(/^500 : /)
    expect(exchange.status).to.equal(0)
  })

  const ends: [string, error: Error, text: string][] = [
    [
      'history is lost',
      new StorageError('expired', 'x', { revision: revision(9) }),
      'ERROR 410 The resourceVersion for the provided watch is too old.\n',
    ],
    [
      'the store is away',
      new StorageError('unavailable', 'gone'),
      'ERROR 503 the storage backend is unavailable (watch widgets.example.io): gone\n',
    ],
    ['a failure has a Status', failure(429, 'TooManyRequests', 'later'), 'ERROR 429 later\n'],
    ['something is broken', new Error('bug'), 'ERROR 500 Internal error occurred: bug\n'],
  ]
  for (const [what, error, text] of ends)
    it(`reports in the stream that ${what}`, async () => {
      const { t, closed } = scripted(async function* () {
        yield [{ type: 'bookmark', revision: revision(8), initialEnd: false }]
        throw error
      })
      const { stream, done } = open(t, 'resourceVersion=7')
      await done
      expect([stream.text, stream.open, closed()]).to.deep.equal([`BOOKMARK 8\n${text}`, false, 1])
    })

  it('writes a batch immediately', async () => {
    const { t } = scripted(async function* () {
      yield [1, 2, 3].map(n => ({ type: 'bookmark' as const, revision: revision(n), initialEnd: false }))
    })
    const { stream, done } = open(t, '')
    await done
    expect(stream.writes.map(chunks => chunks.length)).to.deep.equal([3])
  })

  const sized = (sizes: readonly number[]): Framing => ({
    ...words(undefined),
    bookmark: resourceVersion => Buffer.alloc(sizes[Number(resourceVersion) - 1] ?? 0),
  })
  const bookmarks = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ type: 'bookmark' as const, revision: revision(i + 1), initialEnd: false }))
  const parts: [string, sizes: number[], writes: number[]][] = [
    ['a few frames in one piece', [1000, 1 << 19, 1000], [3]],
    ['a mebibyte in one piece', [1 << 19, 1 << 19], [2]],
    ['more, in parts', [1 << 19, 1 << 19, 1, 1 << 20, 5], [2, 1, 1, 1]],
    ['a frame that is larger, alone', [1, 3 << 20, 1], [1, 1, 1]],
  ]
  for (const [what, sizes, writes] of parts)
    it(`writes ${what}`, async () => {
      const { t } = scripted(async function* () {
        yield bookmarks(sizes.length)
      })
      const { stream, done } = open(t, '', sized(sizes))
      await done
      expect(stream.writes.map(chunks => chunks.length)).to.deep.equal(writes)
      expect(stream.frames.map(frame => frame.length)).to.deep.equal(sizes)
    })

  it('waits for a client with much unwritten data, and continues', async () => {
    const { t } = scripted(async function* () {
      yield bookmarks(1)
      yield bookmarks(1)
    })
    let take = () => {}
    const { stream, done } = open(t, '', sized([5]))
    stream.taken = new Promise(resolve => {
      take = resolve
    })
    stream.unwritten = 800 * 1024
    await eventually('it is written to', () => stream.writes.length > 0)
    await turns()
    expect(stream.writes).to.have.length(1)
    take()
    await done
    expect(stream.writes).to.have.length(2)
  })

  it('waits for a client with little unwritten data while many clients are slow', async () => {
    const { t } = scripted(async function* () {
      yield bookmarks(1)
      yield bookmarks(1)
    })
    const others = Array.from({ length: 2000 }, () => ({ open: true, unwritten: 1 }))
    for (const other of others) t.watchOutput.backlog.exceeds(other)
    await eventually('the share is counted anew', () => t.watchOutput.backlog.limit < 100 * 1024)
    let take = () => {}
    const { stream, done } = open(t, '', sized([5]))
    stream.taken = new Promise(resolve => {
      take = resolve
    })
    stream.unwritten = 100 * 1024
    await eventually('it is written to', () => stream.writes.length > 0)
    await turns()
    expect(stream.writes).to.have.length(1)
    for (const other of others) other.open = false
    take()
    await done
    expect(stream.writes).to.have.length(2)
  })

  it('ends while it waits for its client', async () => {
    const { t, closed } = scripted(async function* () {
      yield bookmarks(1)
      yield bookmarks(1)
    })
    const { exchange, stream, done } = open(t, '', sized([5]))
    stream.taken = new Promise(() => {})
    stream.unwritten = 800 * 1024
    await eventually('it is written to', () => stream.writes.length > 0)
    exchange.client.abort()
    await done
    expect([stream.writes.length, stream.open, closed()]).to.deep.equal([1, false, 1])
  })

  it('shares frames with watches of the same framing only', async () => {
    const t = new TestRegistry()
    await t.create({ name: 'a' })
    const stored = await t.store.get(t.served(), 'ns', 'a', '', NEVER)
    const event: StorageEvent = { type: 'added', object: stored, revision: stored.revision }
    const { t: source } = scripted(async function* () {
      yield [event]
    })
    const shared = words('shared')
    const again = words('shared')
    const other = words('other')
    const never = words(undefined)
    const streams = []
    for (const framing of [shared, again, other, never, never]) {
      const { stream, done } = open(source, '', framing)
      await done
      streams.push(stream)
    }
    expect([shared, again, other, never].map(({ made }) => made.length)).to.deep.equal([1, 0, 1, 2])
    expect(streams[1]?.frames[0]).to.equal(streams[0]?.frames[0])
    expect(streams.every(stream => stream.text === 'ADDED a\n')).to.equal(true)
  })

  it('makes another frame of the same object for another event', async () => {
    const t = new TestRegistry()
    await t.create({ name: 'a' })
    const stored = await t.store.get(t.served(), 'ns', 'a', '', NEVER)
    const framing = words('types')
    const { t: source } = scripted(async function* () {
      yield [
        { type: 'added', object: stored, revision: stored.revision },
        { type: 'deleted', object: stored, revision: stored.revision },
      ]
    })
    await open(source, '', framing).done
    expect(framing.made).to.deep.equal(['ADDED a', 'DELETED a'])
  })
})
