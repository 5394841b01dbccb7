import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { expect } from 'chai'
import { type OpenStream, SpdyConnection, type StreamSink } from '../../../../src/protocols/spdy/connection.ts'
import { SpdyKubelet } from '../../../support/spdy-kubelet.ts'
import { eventually, turns } from '../../../support/waiting.ts'

const HEADERS = (type: string): [string, string][] => [['streamtype', type]]

/** Records the data of a stream. */
class Heard implements StreamSink {
  text = ''
  ends = 0
  data(bytes: Buffer): void {
    this.text += bytes.toString('latin1')
  }
  ended(): void {
    this.ends++
  }
}

describe('a SPDY connection', () => {
  let server: Server
  let socket: Socket
  let far: Socket
  let kubelet: SpdyKubelet
  let connection: SpdyConnection
  let endings: (string | undefined)[]
  let drains: number
  beforeEach(async () => {
    server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const accepted = once(server, 'connection')
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    far = (await accepted)[0] as Socket
    kubelet = new SpdyKubelet(far)
    endings = []
    drains = 0
    connection = new SpdyConnection(socket, { drained: () => drains++, ended: fault => endings.push(fault) })
    connection.start(Buffer.alloc(0))
  })
  afterEach(() => {
    socket.destroy()
    far.destroy()
    server.close()
  })

  const open = async (type: string): Promise<[OpenStream, Heard]> => {
    const heard = new Heard()
    return [await connection.open(HEADERS(type), heard), heard]
  }
  const farStream = (type: string) => {
    const found = kubelet.streams.get(type)
    if (found === undefined) throw new Error(`no stream ${type}`)
    return found
  }
  const failure = (promise: Promise<unknown>): Promise<string> =>
    promise.then(
      () => 'none',
      (error: Error) => error.message,
    )

  it('transfers streams in both directions to their ends', async () => {
    const [error, ofError] = await open('error')
    const [stdin, ofStdin] = await open('stdin')
    expect([...kubelet.streams.values()].map(({ id, type }) => [id, type])).to.deep.equal([
      [1, 'error'],
      [3, 'stdin'],
    ])
    stdin.write(Buffer.from('one '))
    stdin.write(Buffer.from('two'))
    stdin.end()
    stdin.write(Buffer.from('late'))
    await eventually('it has ended', () => farStream('stdin').ended)
    expect(farStream('stdin').heard.toString()).to.equal('one two')
    farStream('error').send('why', true)
    await eventually('the other, too', () => ofError.ends === 1)
    expect(ofError.text).to.equal('why')
    expect(ofStdin.ends).to.equal(0)
    error.end()
    expect(endings).to.deep.equal([])
  })

  it('reports a reset stream, before its reply and after it', async () => {
    kubelet.replies = type => type !== 'no'
    expect(await failure(open('no'))).to.equal('Stream reset')
    const [, heard] = await open('yes')
    farStream('yes').reset()
    await eventually('it has ended', () => heard.ends === 1)
  })

  it('ends with its streams when the other side sends GOAWAY', async () => {
    const [, heard] = await open('error')
    farStream('error').send('last words')
    kubelet.goAway()
    await eventually('it is over', () => heard.ends === 1)
    expect([heard.text, endings]).to.deep.equal(['last words', [undefined]])
    expect(await failure(open('stdin'))).to.equal('connection closed')
    await eventually('it is closed', () => socket.destroyed || far.readableEnded)
  })

  it('reports a broken connection', async () => {
    const [, heard] = await open('error')
    far.end()
    await eventually('it is over', () => heard.ends === 1)
    expect(endings).to.deep.equal(['unexpected EOF'])
  })

  it('rejects pending replies when the connection ends', async () => {
    kubelet.changed = () => far.destroy()
    kubelet.replies = () => true
    expect(await failure(Promise.all([open('a'), open('b')]))).to.be.oneOf(['unexpected EOF', 'connection closed', 'read ECONNRESET'])
  })

  it('ends on an invalid frame', async () => {
    const [, heard] = await open('error')
    far.write(Buffer.from('8002000300000000', 'hex'))
    await eventually('it is over', () => heard.ends === 1)
    expect(endings).to.deep.equal(['version 2 of SPDY'])
  })

  it('responds to pings, sends pings, and rejects streams', async () => {
    await open('error')
    const said: string[] = []
    far.on('data', data => said.push(data.toString('hex')))
    kubelet.ping(2)
    kubelet.open(4)
    await eventually('it is answered', () => said.join('').length >= 56)
    expect(said.join('')).to.equal('80030006000000040000000280030003000000080000000400000003')
    connection.ping()
    connection.ping()
    await eventually('it asks', () => kubelet.pings.length === 3)
    expect(kubelet.pings).to.deep.equal([2, 1, 3])
  })

  it('reports backpressure of the other side, and its end', async () => {
    const [stdin] = await open('stdin')
    far.pause()
    const chunk = Buffer.alloc(1 << 20)
    let sent = 0
    while (stdin.write(chunk) && sent < 64) sent++
    expect(sent).to.be.below(64)
    expect(drains).to.equal(0)
    far.resume()
    await eventually('it drains', () => drains > 0)
    await eventually('all has come', () => farStream('stdin').heardBytes === (sent + 1) << 20)
  })

  it('applies backpressure to the other side', async () => {
    const [, heard] = await open('stdout')
    connection.pause()
    await new Promise(resolve => setImmediate(resolve))
    for (let i = 0; i < 16; i++) farStream('stdout').send(Buffer.alloc(1 << 20, 120))
    await turns()
    expect(heard.text.length).to.be.below(1 << 20)
    connection.resume()
    await eventually('all has come', () => heard.text.length === 16 << 20)
  })

  it('reads a connection to its end even if writes fail', async () => {
    const deaf = new Duplex({
      read() {},
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' })),
    })
    const heard = new Heard()
    const own = new SpdyConnection(deaf, { drained: () => {}, ended: fault => endings.push(fault) })
    own.start(Buffer.alloc(0))
    const opened = own.open(HEADERS('error'), heard)
    await new Promise(resolve => setImmediate(resolve))
    deaf.push(Buffer.from('8003000200000004000000010000000100000004', 'hex'))
    deaf.push('last')
    const stream = await opened
    stream.write(Buffer.from('nobody hears this'))
    await eventually('it is read', () => heard.text === 'last')
    deaf.push(null)
    await eventually('it has ended', () => heard.ends === 1 && deaf.destroyed)
    expect(endings).to.deep.equal(['unexpected EOF'])
  })

  it('sends GOAWAY when it is closed', async () => {
    const [, heard] = await open('stdout')
    connection.close()
    await eventually('the other side knows', () => kubelet.leftBy === 'go away')
    await eventually('it is closed', () => socket.destroyed)
    expect([heard.ends, endings]).to.deep.equal([0, []])
  })
})
