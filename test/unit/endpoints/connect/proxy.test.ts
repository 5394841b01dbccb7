import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { deflateSync, gunzipSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { connectWorld, ownAddress, speak, type World } from '../../../support/connect-world.ts'
import { HostilePeer } from '../../../support/hostile-peer.ts'
import { eventually } from '../../../support/waiting.ts'

const ns = '/api/v1/namespaces/ns'

describe('proxies', () => {
  let world: World
  before(async function () {
    // Proxies do not connect to loopback addresses.
    if (ownAddress === undefined) this.skip()
    world = await connectWorld()
  })
  after(() => world?.close())

  const answer = (status: number, headers: Record<string, string | string[]>, body: string | Buffer = ''): void => {
    world.inPod.act = (_req, res) => void res.writeHead(status, headers).end(body)
  }

  for (const over of ['plain', 'http2'] as const) {
    it(`forward requests and responses, over ${over}`, async () => {
      // The client's Connection header must not remove headers that this server adds.
      const hidesItself = over === 'plain' ? { connection: 'x-forwarded-for' } : undefined
      let heard = ''
      world.inPod.act = (req, res) => {
        req.on('data', data => {
          heard += data
        })
        req.on('end', () =>
          res
            .writeHead(418, { 'X-Kind': ['a', 'b'], Connection: 'X-Gone', 'X-Gone': '1', 'Access-Control-Allow-Origin': '*' })
            .end('short and stout'),
        )
      }
      const headers = { 'x-mine': 'yes', authorization: 'Bearer x', te: 'trailers', 'x-forwarded-for': '192.0.2.9', ...hidesItself }
      const got = await world.server[over](`${ns}/pods/one/proxy/a%20b/c?q=1&q=2`, { method: 'PUT', headers, body: 'milk' })
      expect({ status: got.status, body: got.body.toString(), kind: got.headers['x-kind'] }).to.deep.equal({
        status: 418,
        body: 'short and stout',
        kind: 'a, b',
      })
      expect(got.headers).to.not.have.any.keys('x-gone', 'access-control-allow-origin')
      expect(got.headers['audit-id']).to.be.a('string')
      expect(heard).to.equal('milk')
      const { method, url, headers: sent } = world.inPod.last
      expect({ method, url }).to.deep.equal({ method: 'PUT', url: '/a%20b/c?q=1&q=2' })
      expect(sent).to.include({
        'x-mine': 'yes',
        'x-forwarded-for': '192.0.2.9, 127.0.0.1',
        'x-forwarded-uri': `${ns}/pods/one/proxy/a%20b/c`,
      })
      expect(sent).to.not.have.any.keys('authorization', 'te')
    })
  }

  it('drop all spellings of headers that name the user or the origin of a request', async () => {
    answer(200, {})
    const forged = [
      ...[
        'X_Remote_User',
        'x-remote_user',
        'X-Remote-Users',
        'X_REMOTE_GROUP',
        'X-Remote-Groups',
        'X.Remote.Uid',
        'X-Remote-Extra_scopes',
        'XRemoteExtra-a',
      ],
      ...['Impersonate_User', 'impersonate.group', 'Impersonate_Extra_a', 'Authorization', 'authoriza_tion'],
      ...['X_Forwarded_For', 'x-forwarded_for', 'X_Forwarded_Uri', 'X_Forwarded_Host', 'Audit_Id', 'H-ost'],
    ]
    const kept = ['X-Remote-Addr', 'X_Mine', 'Forwarded', 'X-Remote', 'Impersonated']
    const headers = Object.fromEntries([...forged, ...kept].map(name => [name, 'forged']))
    for (const over of ['plain', 'http2'] as const) {
      await world.server[over](`${ns}/pods/one/proxy/`, { headers })
      const sent = Object.entries(world.inPod.last.headers).filter(([, value]) => String(value).includes('forged'))
      expect(sent.map(([name]) => name)).to.have.members(kept.map(name => name.toLowerCase()))
    }
  })

  it('drop response headers that a browser applies to the whole origin', async () => {
    const dropped = [
      ...[
        'Service-Worker-Allowed',
        'Clear-Site-Data',
        'Strict-Transport-Security',
        'Alt-Svc',
        'Public-Key-Pins',
        'Expect-CT',
        'NEL',
        'Report-To',
      ],
      ...[
        'Reporting-Endpoints',
        'Origin-Agent-Cluster',
        'Accept-CH',
        'Critical-CH',
        'Set-Login',
        'Use-As-Dictionary',
        'Access-Control-Allow-Origin',
      ],
    ]
    const kept = ['Set-Cookie', 'Content-Security-Policy', 'Link', 'Refresh', 'ETag', 'X-Mine']
    answer(200, Object.fromEntries([...dropped, ...kept].map(name => [name, 'x'])))
    const { headers } = await world.server.plain(`${ns}/pods/one/proxy/`)
    expect(headers).to.not.have.any.keys(...dropped.map(name => name.toLowerCase()))
    expect(headers).to.include.all.keys(...kept.map(name => name.toLowerCase()))
  })

  for (const [line, why] of [
    ['HTTP/1.1 099 Odd', 'net/http: HTTP/1.x transport connection broken: malformed HTTP status code "099"'],
    ['HTTP/1.1 000 Odd', 'net/http: HTTP/1.x transport connection broken: malformed HTTP status code "000"'],
    ['HTTP/1.1 101 Odd', 'it switched protocols unasked'],
    ['HTTP/1.1 1000 Odd', undefined],
    ['HTTP/1.1 -10 Odd', undefined],
  ] as const)
    it(`respond with 503 to the backend's status line ${line}`, async () => {
      world.inPod.act = req => void req.socket.end(`${line}\r\nContent-Length: 2\r\n\r\nhi`)
      const { status, body } = await world.server.plain(`${ns}/pods/one/proxy/`)
      expect(status).to.equal(503)
      const { message } = JSON.parse(body.toString())
      if (why === undefined) expect(message).to.match(/^error trying to reach service: /)
      else expect(message).to.equal(`error trying to reach service: ${why}`)
    })

  for (const status of [299, 600, 999])
    it(`forward the status ${status}`, async () => {
      answer(status, {}, 'hi')
      const got = await world.server.plain(`${ns}/pods/one/proxy/`)
      expect({ status: got.status, body: got.body.toString() }).to.deep.equal({ status, body: 'hi' })
    })

  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']) {
    it(`forward ${method}`, async () => {
      answer(200, { 'Content-Length': '2' }, 'ok')
      const { status, headers } = await world.server.plain(`${ns}/pods/one/proxy/`, { method })
      expect({ status, length: headers['content-length'] }).to.deep.equal({ status: 200, length: '2' })
      expect(world.inPod.last.method).to.equal(method)
    })
  }

  it('stream in both directions', async () => {
    world.inPod.act = (req, res) => void req.pipe(res)
    const head = `POST ${ns}/pods/one/proxy/echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n`
    const client = await speak(world.server, 'plain', `${head}4\r\none \r\n`)
    await client.hear('one ')
    client.say('4\r\ntwo \r\n')
    await client.hear('two ')
    client.say('0\r\n\r\n')
    await client.hear('\r\n0\r\n\r\n')
    client.socket.destroy()
  })

  it('forward upgrades', async () => {
    world.inPod.upgradeAct = (_req, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
      socket.pipe(socket)
      socket.on('error', () => {})
    }
    const client = await speak(
      world.server,
      'tls',
      `GET ${ns}/services/s:web/proxy/ws?a=1 HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\nhi`,
    )
    await client.hear('\r\n\r\nhi')
    expect(world.inPod.last.url).to.equal('/ws')
    client.socket.destroy()
  })

  it('redirect to a path with a trailing slash', async () => {
    const { status, headers } = await world.server.plain(`${ns}/pods/one/proxy?a=b`)
    expect({ status, location: headers.location }).to.deep.equal({ status: 301, location: `${ns}/pods/one/proxy/?a=b` })
    answer(200, {})
    expect((await world.server.plain(`${ns}/pods/one/proxy`, { method: 'POST' })).status).to.equal(200)
    expect(world.inPod.last.url).to.equal('/')
  })

  for (const [path, asked] of [
    ['proxy/', '/'],
    ['proxy/a/', '/a/'],
    ['proxy/a//b/../c', '/a/c'],
    ['proxy/a/%2e%2e/%2e%2e/%2e%2e/b', '/b'],
  ] as const)
    it(`request ${asked} for ${path}`, async () => {
      answer(200, {})
      const client = await speak(
        world.server,
        'plain',
        `GET ${ns}/pods/one/${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      )
      await client.end()
      expect(world.inPod.last.url).to.equal(asked)
    })

  it('rewrite redirects', async () => {
    answer(302, { Location: '/login?x=1' })
    const { status, headers } = await world.server.plain(`${ns}/services/s:80/proxy/a`)
    expect({ status, location: headers.location }).to.deep.equal({ status: 302, location: `${ns}/services/s:80/proxy/login?x=1` })
  })

  it('rewrite links of pages', async () => {
    const page = '<!doctype html><a href="/x?a=1&amp;b=2">ö</a>'
    answer(200, { 'Content-Type': 'text/html; charset=utf-8' }, page)
    const plain = await world.server.plain(`${ns}/pods/one/proxy/dir/`)
    const changed = `<!doctype html><a href="${ns}/pods/one/proxy/x?a=1&amp;b=2">ö</a>`
    expect(plain.body.toString()).to.equal(changed)
    expect(plain.headers).to.not.have.property('content-length')
    answer(200, { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip' }, gzipSync(page))
    expect(gunzipSync((await world.server.plain(`${ns}/pods/one/proxy/dir/`)).body).toString()).to.equal(changed)
    for (const coding of ['br', 'gzip', 'deflate']) {
      const body = coding === 'deflate' ? deflateSync(page) : Buffer.from('not read')
      answer(200, { 'Content-Type': 'text/html', 'Content-Encoding': coding }, body)
      const { body: received, headers } = await world.server.plain(`${ns}/pods/one/proxy/dir/`)
      expect(received.equals(body), coding).to.equal(true)
      expect(headers['content-encoding']).to.equal(coding)
    }
    answer(200, { 'Content-Type': 'text/plain' }, page)
    expect((await world.server.plain(`${ns}/pods/one/proxy/dir/`)).body.toString()).to.equal(page)
  })

  it('rewrite links of pages of any length', async () => {
    const page = `<a href="/x">${'y'.repeat(9 << 20)}`
    answer(200, { 'Content-Type': 'text/html' }, page)
    const changed = page.replace('/x', `${ns}/pods/one/proxy/x`)
    expect((await world.server.plain(`${ns}/pods/one/proxy/`)).body.toString() === changed).to.equal(true)
  })

  it('forward the beginning of a page before its end arrives', async () => {
    let end = (): void => {}
    world.inPod.act = (_req, res) => {
      res.writeHead(200, { 'Content-Type': 'text/html' })
      res.write('<a href="/x">')
      end = () => res.end('<p>')
    }
    const client = await speak(world.server, 'plain', `GET ${ns}/pods/one/proxy/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    await client.hear(`<a href="${ns}/pods/one/proxy/x">`)
    end()
    expect(await client.end()).to.include('<p>')
  })

  it('break off when the other side does', async () => {
    world.inPod.act = (_req, res) => {
      res.writeHead(200, { 'Content-Length': '10' })
      res.write('half', () => res.destroy())
    }
    const failure = await world.server.plain(`${ns}/pods/one/proxy/`).then(
      () => undefined,
      (error: { code: string }) => error.code,
    )
    expect(failure).to.equal('ECONNRESET')
  })

  for (const over of ['plain', 'http2'] as const)
    it(`break off a malformed response, over ${over}`, async () => {
      for (const head of [
        'HTTP/1.1 99 No\r\n',
        'HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Type: c/d\r\nContent-Length: 0\r\n',
        'nonsense\r\n',
      ]) {
        world.inPod.act = (_req, res) => void res.socket?.end(`${head}\r\n`)
        await world.server[over](`${ns}/pods/one/proxy/`).catch(() => {})
      }
      answer(200, {}, 'well')
      expect((await world.server[over](`${ns}/pods/one/proxy/`)).body.toString()).to.equal('well')
    })

  it('disconnect when the client does', async () => {
    let gone = false
    world.inPod.act = (_req, res) => {
      res.write('x')
      res.on('close', () => {
        gone = true
      })
    }
    const client = await speak(world.server, 'plain', `GET ${ns}/pods/one/proxy/ HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await client.hear('\r\n\r\n1\r\nx')
    client.socket.destroy()
    await eventually('the pod is left', () => gone)
  })

  const reached: [path: string, asked: string][] = [
    ['services/s:web/proxy/a', '/a'],
    ['services/http:s:80/proxy/b/', '/b/'],
    [`pods/one:PORT/proxy/c`, '/c'],
    ['pods/http:one:/proxy/d', '/d'],
  ]
  for (const [path, asked] of reached) {
    it(`connect to ${path}`, async () => {
      answer(200, {})
      expect((await world.server.plain(`${ns}/${path.replace('PORT', String(world.inPod.port))}`)).status).to.equal(200)
      expect(world.inPod.last.url).to.equal(asked)
    })
  }

  it('reach kubelets', async () => {
    world.kubelet.act = (_req, res) => res.end('fine')
    for (const id of ['n', `n:${world.kubelet.port}`]) {
      const { status, body } = await world.server.http2(`/api/v1/nodes/${id}/proxy/healthz/ping?v=1`)
      expect({ status, body: body.toString() }).to.deep.equal({ status: 200, body: 'fine' })
      expect(world.kubelet.last.url).to.equal('/healthz/ping?v=1')
    }
  })

  it('connect to the address that was checked, even if the name resolves to another one later', async () => {
    const addressesOf = (addresses: object[]) =>
      world.registry
        .access()
        .update({ group: '', resource: 'nodes' }, '', 'bare', found => Object.assign(found, { status: { ...found.status, addresses } }), {
          subresource: 'status',
        })
    const { lookup } = dns
    const first = dns.promises.lookup
    const later: string[] = []
    // The first lookup returns a harmless address, later ones the loopback address.
    dns.promises.lookup = (async () => [{ address: ownAddress, family: 4 }]) as unknown as typeof first
    dns.lookup = ((host: string, ...rest: unknown[]) => {
      later.push(host)
      return (lookup as (...args: unknown[]) => void)('127.0.0.1', ...rest)
    }) as typeof lookup
    syncBuiltinESMExports()
    try {
      await addressesOf([{ type: 'Hostname', address: 'rebinding.test' }])
      answer(200, {}, 'outside')
      const { status, body } = await world.server.http2(`/api/v1/nodes/http:bare:${world.inPod.port}/proxy/x`)
      expect({ status, body: body.toString(), later }).to.deep.equal({ status: 200, body: 'outside', later: [] })
    } finally {
      dns.promises.lookup = first
      dns.lookup = lookup
      syncBuiltinESMExports()
      await addressesOf([{ type: 'ExternalIP', address: '203.0.113.1' }])
    }
  })

  const refusals: [path: string, code: number, message: string][] = [
    [`${ns}/pods/none/proxy/`, 404, 'pods "none" not found'],
    [`${ns}/pods/ftp:one:1/proxy/`, 400, 'invalid pod request "ftp:one:1"'],
    [`${ns}/pods/a:b:c:d/proxy/`, 400, 'invalid pod request "a:b:c:d"'],
    [`${ns}/pods/two/proxy/`, 400, 'address not allowed'],
    [`${ns}/pods/new/proxy/`, 400, 'address not allowed'],
    [`${ns}/pods/one/proxy/?dryRun=All`, 400, 'dryRun is not supported'],
    [`${ns}/services/none/proxy/`, 404, 'endpoints "none" not found'],
    [`${ns}/services/none:80/proxy/`, 404, 'services "none" not found'],
    [`${ns}/services/s/proxy/`, 503, 'no endpoints available for service "s"'],
    [`${ns}/services/s:81/proxy/`, 503, 'no service port 81 found for service "s"'],
    [`${ns}/services/empty:web/proxy/`, 503, 'no endpoints available for service "empty"'],
    [`${ns}/services/strange:web/proxy/`, 503, 'no endpoints available for service "strange:web"'],
    ['/api/v1/nodes/none/proxy/', 404, 'nodes "none" not found'],
    ['/api/v1/nodes/bare/proxy/', 500, 'no preferred addresses found; known addresses: [{ExternalIP 203.0.113.1}]'],
    ['/api/v1/nodes/n:1/proxy/', 400, 'address not allowed'],
  ]
  for (const [path, code, message] of refusals) {
    it(`refuse ${path}`, async () => {
      const { status, body } = await world.server.plain(path)
      expect(status).to.equal(code)
      expect(JSON.parse(body.toString())).to.include({ message, code })
    })
  }

  for (const over of ['plain', 'secure', 'http2'] as const)
    it(`forward an early response, and read the rest of the request, over ${over}`, async () => {
      const early = await HostilePeer.start(undefined, ownAddress)
      early.act = socket => {
        socket.pause()
        socket.write('HTTP/1.1 413 Payload Too Large\r\nConnection: close\r\nContent-Length: 8\r\n\r\ntoo long', () => socket.destroy())
      }
      try {
        for (let i = 0; i < 3; i++) {
          const path = `${ns}/pods/one:${early.port}/proxy/`
          // The client reads the response only after it has sent everything.
          const { status, body } = await world.server[over](path, {
            method: 'POST',
            body: Buffer.alloc(2 << 20),
            ...(over === 'secure' && { admin: true }),
          })
          expect([status, body.toString()]).to.deep.equal([413, 'too long'])
        }
      } finally {
        early.close()
      }
    })

  it('report that the backend cannot be reached', async () => {
    const { status, body } = await world.server.plain(`${ns}/pods/one:${world.deadPort}/proxy/`)
    expect(status).to.equal(503)
    expect(JSON.parse(body.toString()).message).to.equal(
      `error trying to reach service: dial tcp ${ownAddress}:${world.deadPort}: connect: connection refused`,
    )
  })
})
