import { expect } from 'chai'
import { type ConnectionState, type ConnectionVerdict, Lifetime } from '../../../../src/protocols/http2/lifetime.ts'

const LIMITS = {
  maxConcurrentStreams: 1,
  streamWindow: 1,
  connectionWindow: 1,
  maxHeaderBytes: 1,
  maxHeaders: 1,
  idleMs: 90_000,
  headersMs: 32_000,
  stalledMs: 60_000,
  stalledStreamMs: 900_000,
}
/** A connection with a request in progress. */
const BUSY: ConnectionState = { settled: true, streams: 1, lastStream: 1, openBlock: 0, leaving: false, writing: false, writes: 0 }

/** The second in which a connection that stays as `state` says is first told something, and what. */
function end(state: (second: number) => Partial<ConnectionState>): [number, ConnectionVerdict] {
  const lifetime = new Lifetime(LIMITS)
  for (let second = 0; second <= 2000; second++) {
    const verdict = lifetime.look(second * 1000, { ...BUSY, ...state(second) })
    if (verdict !== 'keep') return [second, verdict]
  }
  return [Number.POSITIVE_INFINITY, 'keep']
}

describe('the lifetime of a connection', () => {
  const cases: readonly [string, (second: number) => Partial<ConnectionState>, number, ConnectionVerdict][] = [
    ['has no end while a request is open', () => ({}), Number.POSITIVE_INFINITY, 'keep'],
    ['ends without a preface', () => ({ settled: false, streams: 0, lastStream: 0 }), 11, 'cut'],
    ['ends if headers do not end', () => ({ openBlock: 3 }), 33, 'cut'],
    ['continues while other headers arrive', second => ({ openBlock: 3 + 2 * Math.floor(second / 20) }), Number.POSITIVE_INFINITY, 'keep'],
    ['ends if nothing is read', () => ({ writing: true }), 61, 'cut'],
    ['continues while something is read', second => ({ writing: true, writes: Math.floor(second / 50) }), Number.POSITIVE_INFINITY, 'keep'],
    ['is over when it is idle', () => ({ streams: 0 }), 91, 'leave'],
    [
      'continues while requests arrive in between',
      second => ({ streams: 0, lastStream: 1 + 2 * Math.floor(second / 80) }),
      Number.POSITIVE_INFINITY,
      'keep',
    ],
    ['ends soon after GOAWAY', () => ({ streams: 0, leaving: true }), 2, 'cut'],
    ['waits for open requests after GOAWAY', () => ({ leaving: true }), Number.POSITIVE_INFINITY, 'keep'],
    ['waits for the last bytes, but not for ever', () => ({ streams: 0, leaving: true, writing: true }), 61, 'cut'],
  ]
  for (const [what, state, second, verdict] of cases) it(what, () => expect(end(state)).to.deep.equal([second, verdict]))
})
