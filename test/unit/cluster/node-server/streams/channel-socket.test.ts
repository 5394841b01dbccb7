import { duplexPair } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { ChannelSocket } from '../../../../../src/cluster/node-server/streams/channel-socket.ts'

const [STDIN, STDOUT, CLOSE] = [0, 1, 255]

/** A message of a client: a channel and data. */
const message = (channel: number, data: string | readonly number[]): Buffer => {
  const payload = Buffer.concat([Buffer.from([channel]), Buffer.from(data as string)])
  return Buffer.concat([Buffer.from([0x82, 0x80 | payload.length, 0, 0, 0, 0]), payload])
}

describe('channels over a WebSocket', () => {
  it('drops data behind the end of an input', async () => {
    const [near, far] = duplexPair()
    const channels = new ChannelSocket(near)
    const input = channels.input(STDIN)
    channels.start(Buffer.alloc(0))
    far.write(Buffer.concat([message(STDIN, 'a'), message(CLOSE, [STDIN]), message(STDIN, 'b'), message(CLOSE, [STDIN])]))
    const texts: string[] = []
    for await (const bytes of input) texts.push(String(bytes))
    expect(texts).to.deep.equal(['a'])
    channels.close()
  })

  it('drops data behind the end of an output that the client does not read', async () => {
    const [near] = duplexPair()
    const channels = new ChannelSocket(near)
    const output = channels.output(STDOUT)
    channels.start(Buffer.alloc(0))
    for (let i = 0; i < 50; i++) output.write(Buffer.alloc(65_536))
    output.end('last')
    output.write('more')
    await nextTurn()
    expect(output.writableFinished).to.equal(false)
    channels.close()
  })
})
