import { once } from 'node:events'
import { connect as connectSocket, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { seededRandom } from '../../src/lib/seeded-random.ts'
import { badRequests, CONFIG_MAPS, configMapText, unservedPaths } from '../support/bad-requests.ts'
import { fuzzedRequest } from '../support/fuzz.ts'
import { HTTP2_STACKS } from '../support/http2-stacks.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { timeBound } from '../support/time-bounds.ts'
import { type TwoWires, twoWires, type WireAnswer, type WireRequest } from '../support/two-wires.ts'
import { eventually } from '../support/waiting.ts'

const WIRES = ['HTTP/1.1', 'HTTP/2'] as const
const JSON_TYPE = { 'content-type': 'application/json' }
const FUZZED = 500
/** Maximum memory of the server at the end. It starts with about 80 MB. */
const RESIDENT_MB = 600
/** Maximum processor time of the server for one request. */
const UNRESPONSIVE_MS = timeBound(3000)

for (const http2 of HTTP2_STACKS)
  describe(`bad input (--http2=${http2})`, () => {
    let server: ServerProcess
    let wires: TwoWires
    before(async () => {
      server = await createServerProcess([`--http2=${http2}`])
      await server.start()
      wires = twoWires(server.url, server.secureUrl, server.kubeconfig)
      expect((await wires.send('HTTP/1.1', post(configMapText('"data":{"a":"b"}', 'base')))).status).to.equal(201)
    })
    after(async () => {
      wires?.close()
      await server?.stop()
    })
    afterEach('is well', async () => {
      const started = server.processorMs()
      expect((await wires.send('HTTP/1.1', { path: '/readyz' })).status).to.equal(200)
      expect(server.processorMs() - started).to.be.below(UNRESPONSIVE_MS)
    })

    // HTTP/1.1 is the same beside either.
    for (const wire of http2 === 'own' ? WIRES : WIRES.slice(1))
      describe(`over ${wire}`, () => {
        for (const { name, asked, status, reason, message } of badRequests)
          it(`${name}: ${status} ${reason}`, async () => {
            const answer = await wires.send(wire, asked)
            const told = statusOf(answer)
            expect([answer.status, told?.kind, told?.code, told?.reason ?? '']).to.deep.equal([status, 'Status', status, reason])
            expect(told?.message).to.be.a('string')
            if (message !== undefined) expect(told?.message).to.match(message)
          })

        for (const path of unservedPaths)
          it(`${path}: 404 in plain text`, async () => {
            const { status, headers, body } = await wires.send(wire, { path })
            expect([status, headers['content-type'], body.toString()]).to.deep.equal([
              404,
              'text/plain; charset=utf-8',
              '404 page not found\n',
            ])
          })

        it('keeps and returns names of the prototype as data', async () => {
          const name = `proto-${wire === 'HTTP/2' ? 2 : 1}`
          const path = `${CONFIG_MAPS}/${name}`
          const data = '{"__proto__":"x","constructor":"y","toString":"z"}'
          const read = async (): Promise<string> => JSON.stringify((jsonOf(await wires.send(wire, { path })) as { data: unknown }).data)
          expect((await wires.send(wire, post(configMapText(`"data":${data}`, name)))).status).to.equal(201)
          expect(await read()).to.equal(data)
          for (const [type, body] of [
            ['merge-patch', '{"data":{"__proto__":"1"},"__proto__":{"polluted":"1"}}'],
            ['strategic-merge-patch', '{"data":{"constructor":"2"},"constructor":{"prototype":{"polluted":"1"}}}'],
            ['json-patch', '[{"op":"replace","path":"/data/toString","value":"3"}]'],
          ])
            expect(
              (await wires.send(wire, { method: 'PATCH', path, headers: { 'content-type': `application/${type}+json` }, body })).status,
            ).to.equal(200)
          expect(await read()).to.equal('{"__proto__":"1","constructor":"2","toString":"3"}')
          const yaml = `metadata: {name: yaml-${name}}\ndata:\n  "__proto__": x\n  <<: {constructor: v}\n`
          expect((await wires.send(wire, post(yaml, { 'content-type': 'application/yaml' }))).status).to.equal(201)
          const other = jsonOf(await wires.send(wire, post(configMapText('', `clean-${name}`)))) as Record<string, unknown>
          expect(JSON.stringify(other)).not.to.contain('polluted')
          expect(Object.keys(other)).to.deep.equal(['kind', 'apiVersion', 'metadata'])
        })

        it('replaces invalid UTF-8, as Go does', async () => {
          const name = `utf-${wire === 'HTTP/2' ? 2 : 1}`
          const [before, after] = configMapText('"data":{"a":"|","b":"\\ud800x","c":"\\u0000"}', name).split('|')
          const body = Buffer.concat([Buffer.from(before ?? ''), Buffer.from([0xff, 0xc0, 0x80, 0xed]), Buffer.from(after ?? '')])
          expect((await wires.send(wire, post(body))).status).to.equal(201)
          const { data } = jsonOf(await wires.send(wire, { path: `${CONFIG_MAPS}/${name}` })) as { data: Record<string, string> }
          expect(data).to.deep.equal({ a: '\ufffd\ufffd\ufffd\ufffd', b: '\ufffdx', c: '\0' })
        })

        // nghttp2 takes no single field beyond 64 KB.
        const pathBytes = wire === 'HTTP/2' ? 60_000 : 100_000
        it(`accepts 50 KB of headers, and paths of ${pathBytes / 1000} KB`, async () => {
          const headers = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`x-${n}`, 'v'.repeat(100)]))
          expect((await wires.send(wire, { path: CONFIG_MAPS, headers })).status).to.equal(200)
          expect((await wires.send(wire, { path: `${CONFIG_MAPS}?${'a=b&'.repeat(pathBytes / 4)}` })).status).to.equal(200)
        })
      })

    it(`survives ${FUZZED} malformed requests: each gets a response, and none is an internal error`, async () => {
      const random = seededRandom(2024)
      const wrong: string[] = []
      for (let n = 0; n < FUZZED; n += 10) {
        const batch = Array.from({ length: 10 }, () => fuzzedRequest(random))
        const answers = await Promise.all(batch.map((asked, i) => wires.send(WIRES[i % 2] ?? 'HTTP/2', asked)))
        for (const [i, answer] of answers.entries()) {
          const said = answer.status >= 400 ? statusOf(answer) : undefined
          const clear =
            answer.status >= 200 && answer.status < 400
              ? true
              : said?.kind === 'Status' && said.code === answer.status && said.reason !== 'InternalError'
          if (!clear)
            wrong.push(`${JSON.stringify(batch[i], undefined, 0).slice(0, 600)} → ${answer.status} ${answer.body.toString().slice(0, 300)}`)
        }
      }
      expect(wrong).to.deep.equal([])
    })

    describe('on raw connections', () => {
      const raw = async (bytes: string | Buffer, isWhole: (text: string) => boolean = () => false): Promise<string> => {
        const socket = await dial()
        let text = ''
        socket.on('data', data => {
          text += data.toString('latin1')
        })
        socket.write(bytes)
        await eventually('a response, or the end', () => socket.destroyed || isWhole(text))
        socket.destroy()
        return text
      }
      const dial = async (): Promise<Socket> => {
        const { hostname, port } = new URL(server.url)
        const socket = connectSocket(Number(port), hostname)
        socket.on('error', () => {})
        await once(socket, 'connect')
        return socket
      }
      const head = (line: string, ...headers: string[]): string => [line, 'Host: localhost', ...headers, '', ''].join('\r\n')

      for (const [name, bytes] of [
        ['garbage', Buffer.from([0, 1, 2, 3, 255, 13, 10, 13, 10])],
        ['a TLS greeting', Buffer.from('16030100c8010000c40303', 'hex')],
        ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
        ['two lengths', head(`POST ${CONFIG_MAPS} HTTP/1.1`, 'Content-Length: 5', 'Content-Length: 6')],
        ['a length and chunks', head(`POST ${CONFIG_MAPS} HTTP/1.1`, 'Content-Length: 5', 'Transfer-Encoding: chunked')],
        ['a negative length', head(`POST ${CONFIG_MAPS} HTTP/1.1`, 'Content-Length: -5')],
        [
          'a chunk of no size',
          `${head(`POST ${CONFIG_MAPS} HTTP/1.1`, 'Content-Type: application/json', 'Transfer-Encoding: chunked')}zz\r\n`,
        ],
        ['a NUL in a header', head('GET /readyz HTTP/1.1', 'X-A: a\0b')],
        ['a header of 2 MB', head('GET /readyz HTTP/1.1', `X-A: ${'a'.repeat(2_000_000)}`)],
      ] as const)
        it(`responds to ${name} with 4xx, and closes the connection`, async () => {
          expect(await raw(bytes)).to.match(/^(HTTP\/1\.1 4\d\d [^\r]+\r\n(.+\r\n)*\r\n|$)/)
        })

      it('responds with 413 before a body whose declared length is too large', async () => {
        const text = await raw(head(`POST ${CONFIG_MAPS} HTTP/1.1`, 'Content-Type: application/json', 'Content-Length: 99999999'), text =>
          text.includes('RequestEntityTooLarge'),
        )
        expect(text).to.match(/^HTTP\/1\.1 413 /)
        expect(text).to.contain('"reason":"RequestEntityTooLarge"')
      })

      it('stops reading a chunked body that is too long', async () => {
        const socket = await dial()
        let text = ''
        socket.on('data', data => {
          text += data.toString('latin1')
        })
        socket.write(head(`POST ${CONFIG_MAPS} HTTP/1.1`, 'Content-Type: application/json', 'Transfer-Encoding: chunked'))
        const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, ' '), Buffer.from('\r\n')])
        for (let n = 0; n < 60; n++) socket.write(chunk)
        await eventually('a response', () => text !== '')
        socket.destroy()
        expect(text).to.match(/^HTTP\/1\.1 413 /)
      })

      it('times out a slow body with the request', async () => {
        const socket = await dial()
        let text = ''
        socket.on('data', data => {
          text += data.toString('latin1')
        })
        socket.write(`${head(`POST ${CONFIG_MAPS}?timeout=1s HTTP/1.1`, 'Content-Type: application/json', 'Content-Length: 1000')}{`)
        const drip = setInterval(() => socket.write(' '), 100)
        await eventually('a response', () => text.includes('"reason"'))
        clearInterval(drip)
        socket.destroy()
        expect(text).to.match(/^HTTP\/1\.1 504 /)
        expect(text).to.contain('"reason":"Timeout"')
      })

      it('survives 200 connections that close during a body, and writes nothing for them', async () => {
        const body = configMapText('"data":{"a":"b"}', 'midway')
        const sockets = await Promise.all(
          Array.from({ length: 200 }, async (_, n) => {
            const socket = await dial()
            socket.write(
              `${head(`POST ${CONFIG_MAPS} HTTP/1.1`, 'Content-Type: application/json', `Content-Length: ${body.length}`)}${body.slice(0, n % body.length)}`,
            )
            return socket
          }),
        )
        await sleep(100)
        for (const [n, socket] of sockets.entries()) {
          if (n % 2 === 0) socket.destroy()
          else socket.resetAndDestroy()
        }
        expect((await wires.send('HTTP/1.1', { path: `${CONFIG_MAPS}/midway` })).status).to.equal(404)
      })

      it('survives cancelled HTTP/2 watches and lists, and sessions that are cut', async () => {
        for (let round = 0; round < 5; round++) {
          const session = wires.session()
          await once(session, 'connect')
          for (let n = 0; n < 50; n++) {
            const stream = session.request({ ':path': n % 2 === 0 ? `${CONFIG_MAPS}?watch=1` : CONFIG_MAPS })
            stream.on('error', () => {})
            if (n % 5 === 0) stream.close(8)
          }
          const upload = session.request({ ':method': 'POST', ':path': CONFIG_MAPS, ...JSON_TYPE })
          upload.on('error', () => {}).write('{"metadata":')
          await sleep(20)
          session.destroy()
        }
      })
    })

    it('used a bounded amount of memory, and logged no internal error', async () => {
      expect(server.residentMegabytes()).to.be.below(RESIDENT_MB)
      expect(server.log()).not.to.contain('request failed')
    })
  })

const post = (body: string | Buffer, headers: Record<string, string> = JSON_TYPE): WireRequest => ({
  method: 'POST',
  path: CONFIG_MAPS,
  headers,
  body,
})

function jsonOf({ body }: WireAnswer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

interface StatusBody {
  readonly kind: string
  readonly code: number
  readonly reason?: string
  readonly message: string
}

/**
 * Returns the Status of a response in JSON or, depending on the request, in YAML or protobuf (then without details).
 */
function statusOf(answer: WireAnswer): StatusBody | undefined {
  const type = String(answer.headers['content-type'] ?? '')
  if (type.includes('json')) return jsonOf(answer) as StatusBody | undefined
  const text = answer.body.toString()
  if (text.includes('Status') && text.includes('Failure')) return { kind: 'Status', code: answer.status, message: text, reason: '' }
  return undefined
}
