import { expect } from 'chai'
import { builtinRegistry, CONFIG_MAPS } from '../../../support/builtin-registry.ts'
import { type Conversation, serverOver, speak } from '../../../support/connect-world.ts'
import type { TestServer } from '../../../support/server.ts'
import type { TestRegistry } from '../../../support/test-registry.ts'
import { eventually } from '../../../support/waiting.ts'

const MAPS = '/api/v1/namespaces/ns/configmaps'
const CLOSED = '\x88\x02\x03\xe8'
const TOKEN = 'base64url.bearer.authorization.k8s.io.YWxpY2U'

interface Asked {
  readonly query?: string
  readonly path?: string
  /** Headers that replace those of a valid handshake, or remove them (undefined). */
  readonly headers?: Readonly<Record<string, string | undefined>>
}

const HANDSHAKE = {
  Host: 'localhost',
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  Origin: 'https://localhost',
}

function handshake({ query = 'watch=1', path = MAPS, headers = {} }: Asked): string {
  const all: Record<string, string | undefined> = { ...HANDSHAKE, ...headers }
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
  return [`GET ${path}?${query} HTTP/1.1`, ...lines, '', ''].join('\r\n')
}

/** Bytes behind the head of the response. */
const behindHead = (heard: string): string => heard.slice(heard.indexOf('\r\n\r\n') + 4)

/** The messages of a stream, and the bytes that remain at its end. */
function messages(heard: string): { texts: string[]; binaries: Buffer[]; rest: string } {
  const texts: string[] = []
  const binaries: Buffer[] = []
  let rest = Buffer.from(behindHead(heard), 'latin1')
  while (rest[0] === 0x81 || rest[0] === 0x82) {
    const short = rest[1] as number
    const [at, length] = short < 126 ? [2, short] : short === 126 ? [4, rest.readUInt16BE(2)] : [10, Number(rest.readBigUInt64BE(2))]
    const payload = rest.subarray(at, at + length)
    if (rest[0] === 0x81) texts.push(payload.toString())
    else binaries.push(payload)
    rest = rest.subarray(at + length)
  }
  return { texts, binaries, rest: rest.toString('latin1') }
}

const named = ({ texts }: { texts: string[] }): string[] =>
  texts.map(text => {
    const { type, object } = JSON.parse(text) as { type: string; object: { metadata: { name?: string }; code?: number } }
    return `${type} ${object.metadata.name ?? object.code ?? ''}`.trim()
  })

describe('a watch over a WebSocket', () => {
  let t: TestRegistry
  let server: TestServer
  before(async () => {
    t = builtinRegistry()
    await create('a')
    server = await serverOver(t, { addressTypes: [], port: 10250 })
  })
  after(() => server.close())

  const create = (name: string, data = 'x') =>
    t.access().create(CONFIG_MAPS, 'ns', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace: 'ns' }, data: { data } })
  const remove = (name: string) => t.access().delete(CONFIG_MAPS, 'ns', name)
  const open = (asked: Asked = {}): Promise<Conversation> => speak(server, 'tls', handshake(asked))
  const nobodyWatches = () => eventually('nobody watches', () => t.backend.watches.length === 0)

  it('sends each event as a text message, and closes after its timeout', async () => {
    const client = await open({ query: 'watch=1&timeoutSeconds=1' })
    await client.hear('"name":"a"')
    await create('b')
    await remove('b')
    const heard = await client.end()
    expect(heard).to.match(
      /^HTTP\/1\.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=\r\n\r\n/,
    )
    const got = messages(heard)
    expect(named(got)).to.deep.equal(['ADDED a', 'ADDED b', 'DELETED b'])
    expect(got.texts.every(text => text.endsWith('}\n'))).to.equal(true)
    expect(got.rest).to.equal(CLOSED)
    await nobodyWatches()
  })

  it('sends protobuf as binary messages, without the length prefix of HTTP', async () => {
    const Accept = 'application/vnd.kubernetes.protobuf'
    const got = messages(await (await open({ query: 'watch=1&timeoutSeconds=1', headers: { Accept } })).end())
    const http = await server.secure(`${MAPS}?watch=1&timeoutSeconds=1`, { admin: true, headers: { Accept } })
    expect(http.body.readUInt32BE()).to.equal(http.body.length - 4)
    expect([got.binaries, got.texts, got.rest]).to.deep.equal([[http.body.subarray(4)], [], CLOSED])
  })

  const forms: [name: string, asked: Asked, told: string[]][] = [
    ['Tables', { headers: { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }, ['ADDED']],
    ['metadata alone', { headers: { Accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' } }, ['ADDED a']],
    ['one object', { query: 'watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dzz' }, []],
    ['by the deprecated path', { path: '/api/v1/watch/namespaces/ns/configmaps', query: 'timeoutSeconds=1' }, ['ADDED a']],
    [
      'a start that is not reached',
      { query: 'watch=1&timeoutSeconds=1&resourceVersion=999&sendInitialEvents=true&resourceVersionMatch=NotOlderThan' },
      ['ERROR 504'],
    ],
  ]
  for (const [name, asked, told] of forms)
    it(`sends ${name}`, async () => {
      const client = await open({ query: 'watch=1&timeoutSeconds=1', ...asked })
      await eventually('its end', () => client.ended)
      expect([named(messages(client.heard)), messages(client.heard).rest]).to.deep.equal([told, CLOSED])
    })

  for (const [name, protocols, chosen] of [
    ['any subprotocol', 'abc', 'abc'],
    ['the one beside a token', `${TOKEN}, base64.binary.k8s.io`, 'base64.binary.k8s.io'],
  ] as const)
    it(`accepts ${name}`, async () => {
      const client = await open({ headers: { 'Sec-WebSocket-Protocol': protocols } })
      await client.hear('"name":"a"')
      expect(client.heard).to.include(`\r\nSec-WebSocket-Protocol: ${chosen}\r\n\r\n`)
      client.socket.destroy()
      await nobodyWatches()
    })

  // Responses of kube-apiserver 1.33.9, byte for byte.
  const refusals: [name: string, headers: Asked['headers'], answer: string][] = [
    ['no Origin', { Origin: undefined }, 'HTTP/1.1 403 Forbidden\r\n\r\n'],
    ['with an invalid Origin', { Origin: 'x' }, 'HTTP/1.1 403 Forbidden\r\n\r\n'],
    ['two subprotocols', { 'Sec-WebSocket-Protocol': 'abc, d' }, 'HTTP/1.1 400 Bad Request\r\n\r\n'],
    [
      'another version',
      { 'Sec-WebSocket-Version': '8' },
      'HTTP/1.1 400 Bad Request\r\nSec-WebSocket-Version: 13\r\n\r\nmissing or bad WebSocket Version',
    ],
    ['no key', { 'Sec-WebSocket-Key': undefined }, 'HTTP/1.1 400 Bad Request\r\n\r\nmismatch challenge/response'],
  ]
  for (const [name, headers, answer] of refusals)
    it(`refuses ${name}`, async () => {
      expect(await (await open({ ...(headers && { headers }) })).end()).to.equal(answer)
      await nobodyWatches()
    })

  it('reports errors of the request over HTTP', async () => {
    const client = await open({ query: 'watch=1&resourceVersion=x' })
    expect(await client.end()).to.match(/^HTTP\/1\.1 500 [\s\S]*invalid syntax/)
  })

  it('serves requests other than watches over HTTP', async () => {
    for (const query of ['limit=1', 'watch=false']) {
      const client = await open({ query })
      expect(await client.hear('"items":'), query).to.match(/^HTTP\/1\.1 200 OK/)
      client.socket.destroy()
    }
  })

  it('responds to pings, ignores messages, and closes when the client does', async () => {
    const client = await open()
    await client.hear('"name":"a"')
    client.socket.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69, 0x89, 0x82, 0, 0, 0, 0, 0x68, 0x69]))
    await client.hear('\x8a\x02hi')
    client.socket.write(Buffer.from([0x88, 0x82, 0, 0, 0, 0, 3, 0xe8]))
    expect((await client.end()).endsWith(CLOSED)).to.equal(true)
    await nobodyWatches()
  })

  it('closes with a protocol error if the client violates the protocol', async () => {
    const client = await open()
    await client.hear('"name":"a"')
    client.socket.write(Buffer.from([0x81, 2, 0x68, 0x69]))
    expect((await client.end()).endsWith('\x88\x02\x03\xea')).to.equal(true)
    await nobodyWatches()
  })

  it('ends if the client has disconnected', async () => {
    const client = await open()
    await client.hear('"name":"a"')
    client.socket.destroy()
    await nobodyWatches()
  })

  it('closes the connection of a client that does not read', async () => {
    const client = await open({ query: 'watch=1&labelSelector=!no' })
    await client.hear('"name":"a"')
    client.socket.pause()
    const text = 'x'.repeat(900_000)
    for (let i = 0; i < 40 && t.backend.watches.length > 0; i++) {
      await create(`large-${i}`, text)
      await remove(`large-${i}`)
    }
    await eventually('it is given up', () => t.backend.watches.length === 0)
    client.socket.resume()
    await eventually('its end', () => client.ended)
    expect(client.heard).not.to.include('large-39')
  })
})
