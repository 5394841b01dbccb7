import { createHash } from 'node:crypto'
import { connect } from 'node:tls'
import { expect } from 'chai'
import { Conversation, connectWorld, speak, type World } from '../../../support/connect-world.ts'
import { eventually } from '../../../support/waiting.ts'

const pods = '/api/v1/namespaces/ns/pods'

/** An upgrade request. */
const ask = (path: string, { method = 'GET', to = 'websocket', more = [] as string[] } = {}): string =>
  [`${method} ${path} HTTP/1.1`, 'Host: localhost', 'Connection: Upgrade', `Upgrade: ${to}`, ...more, '', ''].join('\r\n')

const KEY = 'dGhlIHNhbXBsZSBub25jZQ=='
const webSocket = ['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Protocol: v4.channel.k8s.io']
const accept = createHash('sha1').update(`${KEY}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')

const bodyOf = (answer: string): { message: string; code: number } => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))

describe('exec, attach and portforward by GET that require permission to create', () => {
  it('are refused to users who may only get them', async () => {
    const asked: string[] = []
    const world = await connectWorld(undefined, async (_, { verb, resource, subresource }) => {
      asked.push(`${verb} ${resource}/${subresource}`)
      return { decision: 'no opinion', reason: 'no such right' }
    })
    try {
      const answer = await (
        await speak(world.server, 'plain', ask(`${pods}/one/exec?command=sh`, { more: [...webSocket, 'Connection: close'] }))
      ).end()
      expect(bodyOf(answer)).to.deep.include({ code: 403, message: 'pods "one" is forbidden: no such right' })
      await (await speak(world.server, 'plain', ask(`${pods}/one/exec?command=sh`, { method: 'POST', to: 'SPDY/3.1' }))).end()
      expect(asked).to.deep.equal(['create pods/exec'])
    } finally {
      await world.close()
    }
  })
})

describe('exec, attach and portforward', () => {
  let world: World
  before(async () => {
    world = await connectWorld()
  })
  after(() => world.close())
  beforeEach(() => {
    world.kubelet.act = (_req, res) => res.end()
    /** Accepts, greets in the same packet, and repeats everything until it receives `bye`. */
    world.kubelet.upgradeAct = (req, socket, head) => {
      const { upgrade } = req.headers
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\nSec-WebSocket-Accept: ${accept}\r\n\r\nhello `,
      )
      const hear = (data: Buffer): void => {
        socket.write(`${data}${data}`)
        if (data.includes('bye')) socket.end()
      }
      socket
        .on('data', hear)
        .on('end', () => socket.end())
        .on('error', () => {})
      if (head.length > 0) hear(head)
    }
  })

  for (const over of ['plain', 'tls'] as const) {
    it(`copy bytes in both directions, over ${over}`, async () => {
      const client = await speak(world.server, over, `${ask(`${pods}/one/exec?command=sh&stdin=1`, { more: webSocket })}early `)
      const head = await client.hear('early early ')
      expect(head).to.match(/^HTTP\/1\.1 101 Switching Protocols\r\n/)
      expect(head).to.include(`Sec-WebSocket-Accept: ${accept}\r\n`)
      expect(head.slice(head.indexOf('\r\n\r\n') + 4)).to.equal('hello early early ')
      client.say('one ')
      await client.hear('one one ')
      client.say('bye ')
      expect(await client.end()).to.include('bye bye ')
      const { url, headers } = world.kubelet.last
      expect(url).to.equal('/exec/ns/one/c?command=sh&input=1')
      expect(headers).to.include({
        host: 'localhost',
        upgrade: 'websocket',
        connection: 'Upgrade',
        'sec-websocket-key': KEY,
        'x-forwarded-for': '127.0.0.1',
      })
    })
  }

  it('copy a megabyte', async () => {
    const client = await speak(world.server, 'tls', ask(`${pods}/one/exec`))
    const head = (await client.hear('hello ')).length
    client.say('x'.repeat(1 << 20))
    await eventually('all has come back', () => client.heard.length >= head + (2 << 20))
    expect(/^x+$/.test(client.heard.slice(head))).to.equal(true)
    expect(client.heard.length).to.equal(head + (2 << 20))
    client.socket.destroy()
  })

  it('allow POST, which SPDY clients use', async () => {
    const versions = ['X-Stream-Protocol-Version: v4.channel.k8s.io', 'X-Stream-Protocol-Version: v3.channel.k8s.io']
    const client = await speak(
      world.server,
      'tls',
      ask(`${pods}/one/attach`, { method: 'POST', to: 'SPDY/3.1', more: [...versions, 'Content-Length: 0'] }),
    )
    await client.hear('hello')
    const { method, rawHeaders } = world.kubelet.last
    expect(method).to.equal('POST')
    expect(rawHeaders.filter(each => each.startsWith('v'))).to.deep.equal(['v4.channel.k8s.io', 'v3.channel.k8s.io'])
    client.socket.destroy()
    await eventually('the kubelet is left', () => world.kubelet.sockets.size === 0)
  })

  it("do not forward the client's identity", async () => {
    const client = await speak(
      world.server,
      'tls',
      ask(`${pods}/one/exec`, {
        more: ['Authorization: Bearer x', 'Impersonate-User: kubernetes-admin', 'Impersonate-Group: system:masters'],
      }),
    )
    await client.hear('hello')
    expect(world.kubelet.last.headers).to.not.have.any.keys('authorization', 'impersonate-user', 'impersonate-group')
    client.socket.destroy()
  })

  it('accept a token in the subprotocols, and do not forward it', async () => {
    const token = (text: string): string => `base64url.bearer.authorization.k8s.io.${Buffer.from(text).toString('base64url')}`
    const path = `${pods}/one/exec`
    const { running, credentials } = world.server
    const answerTo = async (protocols: string): Promise<string> => {
      const socket = connect({ port: running.securePort, host: '127.0.0.1', ca: credentials.serverCa, ALPNProtocols: ['http/1.1'] })
      socket.write(ask(path, { more: [`Sec-WebSocket-Protocol: ${protocols}`] }))
      return new Conversation(socket).end()
    }
    expect(bodyOf(await answerTo(`${token('alice')}, v4.channel.k8s.io`)).message).to.include(
      'User "alice" cannot get resource "pods/exec"',
    )
    expect(bodyOf(await answerTo(`${token('nobody')}, v4.channel.k8s.io`)).code).to.equal(401)
    expect(bodyOf(await answerTo(token('alice'))).code).to.equal(401)
    const client = await speak(world.server, 'tls', ask(path, { more: [`Sec-WebSocket-Protocol: ${token('alice')}, v4.channel.k8s.io`] }))
    await client.hear('hello')
    expect(world.kubelet.last.headers['sec-websocket-protocol']).to.equal('v4.channel.k8s.io')
    client.socket.destroy()
  })

  const paths: [path: string, asked: string][] = [
    ['one/exec?command=a%20b&command=c&stdout=true&stderr=1&tty=0&stdin=false', '/exec/ns/one/c?command=a+b&command=c&error=1&output=1'],
    ['two/attach?container=b&tty=1', '/attach/ns/two/b?tty=1'],
    ['two/portforward?ports=80&ports=443,8080', '/portForward/ns/two?port=80%2C443%2C8080'],
    ['two/portforward', '/portForward/ns/two'],
  ]
  for (const [path, asked] of paths) {
    it(`request ${asked}`, async () => {
      const client = await speak(world.server, 'plain', ask(`${pods}/${path}`))
      await client.hear('hello')
      expect(world.kubelet.last.url).to.equal(asked)
      client.socket.destroy()
    })
  }

  const refusals: [path: string, code: number, message: string][] = [
    ['new/exec', 400, 'pod new does not have a host assigned'],
    ['new/attach', 400, 'pod new does not have a host assigned'],
    ['new/portforward', 400, 'pod new does not have a host assigned'],
    ['none/exec', 404, 'pods "none" not found'],
    ['gone/exec', 404, 'nodes "nowhere" not found'],
    ['one/exec?container=x', 400, 'container x is not valid for pod one'],
    ['one/portforward?ports=x', 400, 'cannot convert to []int32: strconv.ParseUint: parsing "x": invalid syntax'],
    ['one/exec?dryRun=All', 400, 'dryRun is not supported'],
  ]
  for (const [path, code, message] of refusals) {
    it(`refuse ${path}, and close the connection`, async () => {
      const client = await speak(world.server, 'tls', ask(`${pods}/${path}`))
      const answer = await client.end()
      expect(answer).to.match(new RegExp(`^HTTP/1.1 ${code} `))
      expect(bodyOf(answer)).to.include({ message, code })
    })
  }

  it('report that the kubelet cannot be reached', async () => {
    const client = await speak(world.server, 'plain', ask(`${pods}/lost/exec`))
    expect(bodyOf(await client.end())).to.include({
      code: 500,
      message: `error dialing backend: dial tcp 127.0.0.1:${world.deadPort}: connect: connection refused`,
    })
  })

  it('forward a refusal', async () => {
    world.kubelet.upgradeAct = (_req, socket) => socket.end('HTTP/1.1 403 Forbidden\r\nX-Why: so\r\nContent-Length: 2\r\n\r\nno')
    const client = await speak(world.server, 'tls', ask(`${pods}/one/exec`))
    const answer = await client.end()
    expect(answer).to.match(/^HTTP\/1\.1 403 Forbidden\r\n/)
    expect(answer).to.include('X-Why: so\r\n')
    expect(answer.endsWith('\r\n\r\nno')).to.equal(true)
  })

  it('do not mistake another response for an upgrade', async () => {
    world.kubelet.upgradeAct = (_req, socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    const client = await speak(world.server, 'tls', ask(`${pods}/one/exec`))
    expect(bodyOf(await client.end())).to.include({ code: 500, message: 'invalid upgrade response: status code 200' })
  })

  for (const over of ['plain', 'http2'] as const) {
    it(`require an upgrade, over ${over}`, async () => {
      const { status, body } = await world.server[over](`${pods}/one/exec`)
      expect(status).to.equal(400)
      expect(JSON.parse(body.toString()).message).to.equal('Upgrade request required')
    })
  }

  it('allow GET and POST only', async () => expect((await world.server.plain(`${pods}/one/exec`, { method: 'PUT' })).status).to.equal(405))

  it('are authorized as `get` or `create`', async () => {
    for (const [method, verb] of [
      ['GET', 'get'],
      ['POST', 'create'],
    ] as const) {
      const { status, body } = await world.server.secure(`${pods}/one/exec`, { method, headers: { authorization: 'Bearer alice' } })
      expect(status).to.equal(403)
      expect(JSON.parse(body.toString()).message).to.include(`cannot ${verb} resource "pods/exec"`)
    }
  })

  it('pass admission with the options as the object', async () => {
    const seen: unknown[] = []
    world.registry.admission = {
      validate: async ({ operation, subresource, name, namespace, object }) => {
        if (operation === 'CONNECT') seen.push({ subresource, name, namespace, object })
      },
    }
    const client = await speak(world.server, 'plain', ask(`${pods}/one/exec?command=ls&tty=true`))
    await client.hear('hello')
    client.socket.destroy()
    world.registry.admission = {}
    const object = { kind: 'PodExecOptions', apiVersion: 'v1', command: ['ls'], tty: true }
    expect(seen).to.deep.equal([{ subresource: 'exec', name: 'one', namespace: 'ns', object }])
  })

  it('end with the server', async () => {
    const own = await connectWorld()
    own.kubelet.upgradeAct = world.kubelet.upgradeAct
    const client = await speak(own.server, 'tls', ask(`${pods}/one/exec`))
    await client.hear('hello')
    await own.close()
    await client.end()
  })
})

describe('upgrades that are not supported', () => {
  let world: World
  before(async () => {
    world = await connectWorld()
  })
  after(() => world.close())

  for (const over of ['plain', 'tls'] as const) {
    it(`are ignored, and the connection stays open, over ${over}`, async () => {
      const h2c = { to: 'h2c', more: ['HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA'] }
      const client = await speak(world.server, over, ask('/api/v1/namespaces/ns/pods/one', h2c))
      await client.hear('"kind":"Pod"')
      expect(client.heard).to.match(/^HTTP\/1\.1 200 OK\r\n/)
      client.heard = ''
      const body = JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: `made-${over}` } })
      const more = [...h2c.more, 'Content-Type: application/json', `Content-Length: ${body.length}`]
      client.say(ask('/api/v1/namespaces/ns/configmaps', { method: 'POST', to: 'h2c', more }) + body)
      await client.hear('"kind":"ConfigMap"')
      expect(client.heard).to.match(/^HTTP\/1\.1 201 Created\r\n/)
      client.socket.destroy()
    })
  }

  for (const path of [`${pods}/one/exec`, `${pods}/one`])
    it(`are refused while another response is being written: ${path}`, async () => {
      const watch = 'GET /api/v1/namespaces/ns/pods?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n'
      const client = await speak(world.server, 'plain', watch)
      await client.hear('ADDED')
      client.say(ask(path))
      await client.end()
      expect((await world.server.plain('/api/v1/namespaces/ns/pods/one')).status).to.equal(200)
    })
})
