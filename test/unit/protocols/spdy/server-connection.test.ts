import { createHash } from 'node:crypto'
import { type Duplex, duplexPair } from 'node:stream'
import { constants, deflateSync } from 'node:zlib'
import { expect } from 'chai'
import { SpdyConnection } from '../../../../src/protocols/spdy/connection.ts'
import { headerDictionary } from '../../../../src/protocols/spdy/dictionary.ts'
import { HeaderReader } from '../../../../src/protocols/spdy/header-reader.ts'
import { type ServerStream, SpdyServerConnection } from '../../../../src/protocols/spdy/server-connection.ts'
import { eventually } from '../../../support/waiting.ts'

const NOTHING = Buffer.alloc(0)
const DICTIONARY_SHA1 = 'd68ca9b208de9c3754703445a22cf668a5abebb3'
/** Header blocks of three streams of one connection, as github.com/moby/spdystream writes them. */
const BLOCKS = [
  '78f9e3c6a7c202253a703a2b294a4dcc851625aca9a0808614cb45e01c60616061c0c0c0c0590489c64c50f2663400000000ffff',
  'c2aa19540e2512d60b000000ffff',
  'a2c4624300000000ffff',
]

describe('the server side of SPDY', () => {
  let near: Duplex
  let far: Duplex
  let client: SpdyConnection
  let server: SpdyServerConnection
  let streams: ServerStream[]
  let endings: string[]
  beforeEach(() => {
    ;[near, far] = duplexPair()
    streams = []
    endings = []
    client = new SpdyConnection(near, { drained: () => {}, ended: fault => endings.push(`client ${fault}`) })
    server = new SpdyServerConnection(far, { opened: stream => streams.push(stream), ended: () => endings.push('server') })
    client.start(NOTHING)
    server.start(NOTHING)
  })
  afterEach(() => {
    near.destroy()
    far.destroy()
  })

  const open = async (type: string) => {
    const heard: string[] = []
    const stream = await client.open([['streamtype', type]], {
      data: bytes => heard.push(bytes.toString()),
      ended: () => heard.push('end'),
    })
    return { stream, heard }
  }

  it('transfers streams in both directions to their ends', async () => {
    const { stream, heard } = await open('stdin')
    const [opened] = streams
    expect([...(opened?.headers ?? [])]).to.deep.equal([['streamtype', 'stdin']])
    const received: string[] = []
    opened?.on('data', data => received.push(String(data))).on('end', () => received.push('end'))
    stream.write(Buffer.from('one '))
    stream.write(Buffer.from('two'))
    stream.end()
    await eventually('the input has ended', () => received.at(-1) === 'end')
    expect(received.join('')).to.equal('one twoend')
    opened?.end('answer')
    await eventually('the output has ended', () => heard.at(-1) === 'end')
    expect(heard.join('')).to.equal('answerend')
  })

  it('writes large output in frames, at the pace of its reader', async () => {
    const { heard } = await open('stdout')
    client.pause()
    let written = 0
    const chunk = Buffer.alloc(200_000, 'x')
    const more = (): void => {
      if (written < 40) streams[0]?.write(chunk, () => more())
      written++
    }
    more()
    await new Promise(resolve => setTimeout(resolve, 20))
    expect(written).to.be.below(40)
    client.resume()
    await eventually('all is written', () => heard.join('').length === 40 * chunk.length)
  })

  it('resets a stream that is destroyed, and keeps the others', async () => {
    const first = await open('a')
    const second = await open('b')
    streams[0]?.destroy()
    await eventually('the client knows', () => first.heard.at(-1) === 'end')
    streams[1]?.write('still')
    await eventually('the other one works', () => second.heard.join('') === 'still')
  })

  it('ends its streams with the connection', async () => {
    await open('stdin')
    let isEnded = false
    streams[0]
      ?.on('end', () => {
        isEnded = true
      })
      .resume()
    client.close()
    await eventually('the stream has ended', () => isEnded)
    expect(endings).to.deep.equal(['server'])
  })

  it('sends GOAWAY when it is closed, behind what was written', async () => {
    const { heard } = await open('stdout')
    streams[0]?.end('last')
    server.close()
    await eventually('the client knows', () => endings.length === 1)
    expect([heard.join(''), endings]).to.deep.equal(['lastend', ['client undefined']])
  })

  it('ends a connection with a damaged header block', async () => {
    near.write(Buffer.concat([Buffer.from('8003000100000010', 'hex'), Buffer.from('0000000100000000', 'hex'), Buffer.alloc(8, 0xff)]))
    await eventually('it has ended', () => endings.includes('server'))
  })
})

describe('header blocks of SPDY', () => {
  it('are compressed with the dictionary of the specification', () => {
    const dictionary = headerDictionary()
    expect([dictionary.length, createHash('sha1').update(dictionary).digest('hex')]).to.deep.equal([1423, DICTIONARY_SHA1])
    const block = deflateSync(Buffer.from('\0\0\0\x01\0\0\0\x0astreamtype\0\0\0\x05error'), {
      dictionary,
      finishFlush: constants.Z_SYNC_FLUSH,
    })
    expect([...new HeaderReader().read(block)]).to.deep.equal([['streamtype', 'error']])
  })

  it('may refer to earlier blocks of the connection', () => {
    const reader = new HeaderReader()
    for (const hex of BLOCKS) expect(reader.read(Buffer.from(hex, 'hex')).get('port')).to.equal('8080')
  })

  it('are rejected if they inflate to more than 64 KiB, or end early', () => {
    const dictionary = headerDictionary()
    const options = { dictionary, finishFlush: constants.Z_SYNC_FLUSH }
    expect(() => new HeaderReader().read(deflateSync(Buffer.alloc(100_000), options))).to.throw()
    expect(() => new HeaderReader().read(deflateSync(Buffer.from('\0\0\0\x01\0\0\x10\0ab'), options))).to.throw()
  })
})
