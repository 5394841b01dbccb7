import { expect } from 'chai'
import { turnIsSpent } from '../../../../src/lib/turn.ts'
import { FrameReader } from '../../../../src/protocols/spdy/frame-reader.ts'

type Said = readonly [what: string, ...rest: unknown[]]

/** Returns the decoded frames, with the data of a stream in one piece, however it was split. */
function read(bytes: Buffer, parts: number): Said[] {
  const said: Said[] = []
  let data: [id: number, text: string] = [0, '']
  const say =
    (what: string) =>
    (...rest: unknown[]): void =>
      void said.push([what, ...rest])
  const reader = new FrameReader({
    data: (id, piece, fin) => {
      data = [id, data[1] + piece.toString('latin1')]
      const whole = data[1]
      if (fin || whole === 'hello' || whole === 'heard hello' || whole === 'x'.repeat(300)) {
        said.push(['data', id, whole, fin])
        data = [0, '']
      }
    },
    opened: say('opened'),
    replied: say('replied'),
    reset: say('reset'),
    ping: say('ping'),
    goAway: say('go away'),
    other: () => {},
    violation: say('violation'),
  })
  for (let from = 0; from < bytes.length; from += parts) reader.push(bytes.subarray(from, from + parts))
  return said
}

/**
 * Bytes of both ends of a connection of github.com/moby/spdystream 0.5.0: three streams, data on the first, in both
 * directions, a reset and a refusal, pings and the end. The header blocks are compressed with SPDY's dictionary.
 */
const CLIENT =
  '80030001000000290000000100000000000078f9e3c6a7c26260606004a7b392a2d4c45c6851c29a0a0a6800000000ffff000000010000000568656c6c6f000000010100000080030001000000190000000300000000' +
  '0000c22ac5565c92925f5a02000000ffff800300010000002e0000000500000000000002a5550c395009940829cc8b40099fc9c280818181b30812f599a02cc16800000000ffff800300060000000400000001'
const SERVER =
  `80030002000000140000000178f9e3c6a7c26260606000000000ffff000000010000000b68656172642068656c6c6f000000010100000080030002000000140000000362606060046150e2664c02000000ffff000000030000012c${'78'.repeat(300)}` +
  '80030003000000080000000300000005800300030000000800000005000000038003000600000004000000018003000600000004000000028003000700000008' +
  '0000000500000000'

describe('SPDY frames', () => {
  const client: Said[] = [
    ['opened', 1],
    ['data', 1, 'hello', false],
    ['data', 1, '', true],
    ['opened', 3],
    ['opened', 5],
    ['ping', 1],
  ]
  const server: Said[] = [
    ['replied', 1, false],
    ['data', 1, 'heard hello', false],
    ['data', 1, '', true],
    ['replied', 3, false],
    ['data', 3, 'x'.repeat(300), false],
    ['reset', 3],
    ['reset', 5],
    ['ping', 1],
    ['ping', 2],
    ['go away'],
  ]
  for (const [name, hex, said] of [
    ['a client', CLIENT, client],
    ['a server', SERVER, server],
  ] as const)
    it(`are read as ${name} of Go writes them, in pieces of any size`, () => {
      const bytes = Buffer.from(hex, 'hex')
      for (const parts of [1, 2, 3, 7, 64, bytes.length]) expect(read(bytes, parts), `in pieces of ${parts}`).to.deep.equal(said)
    })

  const frame = (hex: string): Said[] => read(Buffer.from(hex, 'hex'), 1000)
  it('with another version end the connection', () =>
    expect(frame('800200060000000400000002')).to.deep.equal([['violation', 'version 2 of SPDY']]))
  it('that are too short end the connection', () =>
    expect(frame('800300030000000400000002')).to.deep.equal([['violation', 'a frame of type 3 with 4 bytes']]))
  it('that have no meaning here are skipped', () => {
    const settings = '80030004000000140000000201000004000000640100000700010000'
    const windowUpdate = '80030009000000080000000100001000'
    const headers = `800300080000001400000001${'00'.repeat(16)}`
    expect(frame(`${settings}${windowUpdate}${headers}800300060000000400000002`)).to.deep.equal([['ping', 2]])
  })
  it('with headers may end a stream', () => expect(frame('800300080100000400000001')).to.deep.equal([['data', 1, '', true]]))

  it('are read in several turns if there are very many', () => {
    let pings = 0
    const nothing = (): void => {}
    const reader = new FrameReader({
      data: nothing,
      opened: nothing,
      replied: nothing,
      reset: nothing,
      ping: () => void pings++,
      goAway: nothing,
      other: nothing,
      violation: nothing,
    })
    const frames = Buffer.from('800300060000000400000002'.repeat(200_000), 'hex')
    // The turn's budget is spent by then, on any machine.
    for (const until = performance.now() + 5; !turnIsSpent() || performance.now() < until; );
    reader.push(frames)
    expect(reader.isBehind).to.equal(true)
    expect(pings).to.be.below(200_000)
    reader.push(Buffer.alloc(0), true)
    expect([pings, reader.isBehind]).to.deep.equal([200_000, false])
  })
})
