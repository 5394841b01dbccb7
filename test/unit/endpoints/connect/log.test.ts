import http from 'node:http'
import { expect } from 'chai'
import { connectWorld, serverOver, speak, type World } from '../../../support/connect-world.ts'
import { eventually, turns } from '../../../support/waiting.ts'

const pods = '/api/v1/namespaces/ns/pods'

describe('pods/log', () => {
  let world: World
  before(async () => {
    world = await connectWorld()
  })
  after(() => world.close())

  const says = (status: number, text: string): void => {
    world.kubelet.act = (_req, res) => void res.writeHead(status, { 'Content-Type': 'application/x-anything' }).end(text)
  }

  for (const over of ['plain', 'http2'] as const) {
    it(`reads the only container, over ${over}`, async () => {
      says(200, 'line\n')
      const { status, headers, body } = await world.server[over](`${pods}/one/log`)
      expect({ status, type: headers['content-type'], text: body.toString() }).to.deep.equal({
        status: 200,
        type: 'text/plain',
        text: 'line\n',
      })
      expect(world.kubelet.last.url).to.equal('/containerLogs/ns/one/c')
    })
  }

  it('is counted as a connection, like upstream', async () => {
    says(200, '')
    await world.server.plain(`${pods}/one/log`)
    const metrics = (await world.server.plain('/metrics')).body.toString()
    const counted =
      /^apiserver_request_total\{verb="CONNECT",dry_run="",group="",version="v1",resource="pods",subresource="log",scope="resource",component="apiserver",code="200"\} [1-9]/m
    expect(metrics).to.match(counted)
    expect(metrics).to.match(/^apiserver_longrunning_requests\{verb="CONNECT",.*subresource="log".*\} 0$/m)
  })

  it("presents the server's certificate to the kubelet", async () => {
    let shown = ''
    world.kubelet.act = (req, res) => {
      shown = (req.socket as unknown as { getPeerCertificate(): { subject: { CN: string } } }).getPeerCertificate().subject.CN
      res.end()
    }
    await world.server.plain(`${pods}/one/log`)
    expect(shown).to.equal('apiserver')
  })

  it('forwards the options', async () => {
    says(200, '')
    const query =
      'container=b&follow=true&previous=0&timestamps=1&sinceTime=2026-01-01T01%3A00%3A00%2B01%3A00&tailLines=0&limitBytes=5&other=x&insecureSkipTLSVerifyBackend=true'
    await world.server.plain(`${pods}/two/log?${query}`)
    expect(world.kubelet.last.url).to.equal(
      '/containerLogs/ns/two/b?follow=true&limitBytes=5&sinceTime=2026-01-01T00%3A00%3A00Z&tailLines=0&timestamps=true',
    )
  })

  it('follows a log, and disconnects from the kubelet when the client does', async () => {
    let answer: http.ServerResponse | undefined
    world.kubelet.act = (_req, res) => {
      answer = res
      res.write('first\n')
    }
    const request = http.get({
      host: '127.0.0.1',
      port: world.server.running.insecurePort as number,
      path: `${pods}/one/log?follow=1`,
      agent: false,
    })
    request.on('error', () => {})
    const heard: string[] = []
    request.on('response', response => response.on('data', (data: Buffer) => heard.push(data.toString())).on('error', () => {}))
    await eventually('the first line', () => heard.join('') === 'first\n')
    answer?.write('second\n')
    await eventually('the second line', () => heard.join('') === 'first\nsecond\n')
    request.destroy()
    await eventually('the kubelet is left', () => answer?.destroyed === true)
  })

  it('pauses the kubelet while the client reads slowly', async () => {
    let written = 0
    world.kubelet.act = (req, res) => {
      const more = (): void => {
        if (req.destroyed) return
        written += 65_536
        if (res.write(Buffer.alloc(65_536))) setImmediate(more)
        else res.once('drain', more)
      }
      more()
    }
    const request = http.get({
      host: '127.0.0.1',
      port: world.server.running.insecurePort as number,
      path: `${pods}/one/log`,
      agent: false,
    })
    request.on('error', () => {})
    request.on('response', response => response.pause())
    let before = -1
    await eventually('it stands still', async () => {
      const same = written > 0 && written === before
      before = written
      await turns(200)
      return same && written === before
    })
    expect(written).to.be.below(64 << 20)
    request.destroy()
  })

  it('is empty while the pod has no node', async () => {
    const { status, body } = await world.server.plain(`${pods}/new/log`)
    expect({ status, text: body.toString() }).to.deep.equal({ status: 204, text: '' })
  })

  const refusals: [name: string, path: string, code: number, message: string | RegExp][] = [
    ['an absent pod', 'none/log', 404, 'pods "none" not found'],
    ['a container that is not there', 'one/log?container=x', 400, 'container x is not valid for pod one'],
    ['several containers, none named', 'two/log', 400, 'a container name must be specified for pod two, choose one of: [a b]'],
    ['an absent node', 'gone/log', 404, 'nodes "nowhere" not found'],
    ['a node without an address', 'bare/log', 500, 'no preferred addresses found; known addresses: [{ExternalIP 203.0.113.1}]'],
    [
      'a port without a listener',
      'lost/log?tailLines=1',
      500,
      /^Get "https:\/\/127\.0\.0\.1:(\d+)\/containerLogs\/ns\/lost\/c\?tailLines=1": dial tcp 127\.0\.0\.1:\1: connect: connection refused$/,
    ],
    ['no number', 'one/log?tailLines=x', 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['no time', 'one/log?sinceTime=x', 400, 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'],
    [
      'fewer lines than none',
      'none/log?tailLines=-1',
      422,
      'PodLogOptions "none" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
    ],
    ['no bytes', 'one/log?limitBytes=0', 422, 'PodLogOptions "one" is invalid: limitBytes: Invalid value: 0: must be greater than 0'],
    ['no seconds', 'one/log?sinceSeconds=0', 422, 'PodLogOptions "one" is invalid: sinceSeconds: Invalid value: 0: must be greater than 0'],
    [
      'two times',
      'one/log?sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z',
      422,
      'PodLogOptions "one" is invalid: : Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
    ],
    ['a stream', 'one/log?stream=Stdout', 422, 'PodLogOptions "one" is invalid: stream: Forbidden: may not be specified'],
    ['a longer path', 'one/log/more', 404, 'the server could not find the requested resource'],
  ]
  for (const [name, path, code, message] of refusals) {
    it(`refuses ${name}`, async () => {
      const { status, body } = await world.server.plain(`${pods}/${path}`)
      const told = JSON.parse(body.toString()) as { message: string }
      expect(status).to.equal(code)
      if (typeof message === 'string') expect(told.message).to.equal(message)
      else expect(told.message).to.match(message)
    })
  }

  it('allows GET only', async () => expect((await world.server.plain(`${pods}/one/log`, { method: 'POST' })).status).to.equal(405))

  const answers: [status: number, code: number, reason: string, message: string][] = [
    [500, 500, 'InternalError', 'Internal error occurred: why'],
    [400, 400, 'BadRequest', 'why'],
    [404, 404, 'NotFound', 'the server could not find the requested resource ( pods/log one)'],
    [403, 403, 'Forbidden', 'why ( pods/log one)'],
    [502, 502, 'InternalError', 'an error on the server ("why") has prevented the request from succeeding ( pods/log one)'],
  ]
  for (const [status, code, reason, message] of answers) {
    it(`reports a kubelet's ${status}`, async () => {
      says(status, 'why')
      const answer = await world.server.plain(`${pods}/one/log`)
      expect(answer.status).to.equal(code)
      expect(JSON.parse(answer.body.toString())).to.include({ reason, message })
    })
  }

  it('does not follow redirects', async () => {
    world.kubelet.act = (_req, res) => void res.writeHead(302, { Location: 'https://127.0.0.1/' }).end()
    const { status, body } = await world.server.plain(`${pods}/one/log`)
    expect(status).to.equal(500)
    expect(JSON.parse(body.toString()).message).to.match(/^Get ".*": redirects forbidden$/)
  })

  describe('over a WebSocket', () => {
    const ask = (protocols: string[], path = `${pods}/one/log?follow=1`): string => {
      const lines = [`GET ${path} HTTP/1.1`, 'Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
      return [
        ...lines,
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        ...protocols.map(each => `Sec-WebSocket-Protocol: ${each}`),
        '',
        '',
      ].join('\r\n')
    }
    /** Bytes behind the head of the response. */
    const messages = (heard: string): string => heard.slice(heard.indexOf('\r\n\r\n') + 4)
    const CLOSED = '\x88\x02\x03\xe8'

    for (const [name, protocols, line, chosen] of [
      ['bytes', [], '\x82\x00\x82\x05line\n', undefined],
      ['bytes by name', ['x, binary.k8s.io'], '\x82\x00\x82\x05line\n', 'binary.k8s.io'],
      ['base64', ['base64.binary.k8s.io'], '\x81\x00\x81\x08bGluZQo=', 'base64.binary.k8s.io'],
    ] as const) {
      it(`sends ${name}`, async () => {
        says(200, 'line\n')
        const client = await speak(world.server, 'tls', ask([...protocols]))
        const heard = await client.end()
        expect(heard).to.match(/^HTTP\/1\.1 101 Switching Protocols\r\n/)
        expect(heard).to.include('Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n')
        expect(/Sec-WebSocket-Protocol: (.*)\r/.exec(heard)?.[1]).to.equal(chosen)
        expect(messages(heard)).to.equal(line + CLOSED)
      })
    }

    it('sends long messages', async () => {
      says(200, 'x'.repeat(300_000))
      const client = await speak(world.server, 'plain', ask([]))
      let rest = Buffer.from(messages(await client.end()), 'latin1')
      let text = ''
      while (rest[0] === 0x82) {
        const short = rest[1] as number
        const [at, length] = short < 126 ? [2, short] : short === 126 ? [4, rest.readUInt16BE(2)] : [10, Number(rest.readBigUInt64BE(2))]
        text += rest.subarray(at, at + length)
        rest = rest.subarray(at + length)
      }
      expect(text === 'x'.repeat(300_000)).to.equal(true)
      expect(rest.toString('latin1')).to.equal(CLOSED)
    })

    for (const [name, closing] of [
      ['closes', Buffer.from([0x81, 0x85, 0, 0, 0, 0, 1, 2, 3, 4, 5, 0x88, 0x80, 0, 0, 0, 0])],
      ['sends too much', Buffer.from([0x82, 0xff, 0, 0, 0, 1, 0, 0, 0, 0])],
    ] as const)
      it(`ends when the client ${name}`, async () => {
        let answer: http.ServerResponse | undefined
        world.kubelet.act = (_req, res) => {
          answer = res
          res.write('first')
        }
        const client = await speak(world.server, 'plain', ask([]))
        await client.hear('first')
        client.socket.write(closing)
        await client.end()
        await eventually('the kubelet is left', () => answer?.destroyed === true)
      })

    it('refuses other protocols, and reports errors over HTTP', async () => {
      says(200, '')
      const other = await speak(world.server, 'plain', ask(['v4.channel.k8s.io']))
      expect(await other.end()).to.match(/^HTTP\/1\.1 403 /)
      const none = await speak(world.server, 'plain', ask([], `${pods}/none/log`))
      expect(await none.end()).to.match(/^HTTP\/1\.1 404 /)
      const strange = await speak(world.server, 'plain', ask([]).replace('Version: 13', 'Version: 8'))
      expect(await strange.end()).to.match(/^HTTP\/1\.1 400 /)
    })
  })

  it('trusts a kubelet certificate of the configured CAs', async () => {
    says(200, 'x')
    const server = await serverOver(world.registry, {
      addressTypes: ['InternalIP'],
      port: 1,
      certificateAuthority: world.kubeletCertificate,
    })
    expect((await server.plain(`${pods}/one/log`)).status).to.equal(200)
    await server.close()
  })

  it('trusts no other certificate, unless the client allows it', async () => {
    says(200, 'x')
    const { certificateAuthority, ...kubelets } = {
      addressTypes: ['InternalIP'],
      port: 1,
      certificateAuthority: world.server.credentials.serverCa,
    }
    const strict = await serverOver(world.registry, { ...kubelets, certificateAuthority })
    const lax = await serverOver(world.registry, kubelets)
    const { status, body } = await strict.plain(`${pods}/one/log`)
    expect(status).to.equal(500)
    expect(JSON.parse(body.toString()).message).to.match(
      /tls: failed to verify certificate: x509: certificate signed by unknown authority$/,
    )
    expect((await strict.plain(`${pods}/one/log?insecureSkipTLSVerifyBackend=true`)).status).to.equal(200)
    expect((await lax.plain(`${pods}/one/log`)).status).to.equal(200)
    await strict.close()
    await lax.close()
  })
})
