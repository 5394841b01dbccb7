import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { expect } from 'chai'
import type { JsonObject, TypedObject } from '../../../../src/api/meta/object.ts'
import type { ApiClient } from '../../../../src/clients/api-client.ts'
import type { LocalPart } from '../../../../src/cluster/node-server/local-access.ts'
import { NodeServer } from '../../../../src/cluster/node-server/node-server.ts'
import { systemClock } from '../../../../src/lib/clock.ts'
import { InProcessAgent } from '../../../../src/lib/in-process-connection.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import { notFoundError } from '../../../../src/meta/status.ts'
import { SpdyConnection } from '../../../../src/protocols/spdy/connection.ts'
import { eventually } from '../../../support/waiting.ts'

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', uid: 'u', resourceVersion: '1' },
  spec: { nodeName: 'node-1', containers: [{ name: 'c' }] },
  status: { phase: 'Running', containerStatuses: [{ name: 'c', state: { running: { startedAt: '2026-01-01T00:00:00Z' } } }] },
} as unknown as TypedObject

/** A client with a pod and the given rules of the cluster, by resource. */
const clientWith = (rules: Readonly<Record<string, JsonObject>>): ApiClient =>
  ({
    get: async (kind: { group: string; resource: string; kind: string }, namespace: string, name: string) => {
      if (kind.resource === 'pods' && namespace === 'default' && name === 'web') return POD
      throw notFoundError({ group: kind.group, resource: kind.resource }, name)
    },
    list: async ({ resource }: { resource: string }) => ({
      items: rules[resource] ? [{ metadata: { name: 'all', resourceVersion: '1' }, spec: rules[resource] }] : [],
      resourceVersion: '1',
    }),
    watch: () => new Promise(() => {}),
  }) as unknown as ApiClient

describe('the server of simulated kubelets', () => {
  let server: NodeServer
  const serve = (rules: Readonly<Record<string, JsonObject>>, ...allowed: LocalPart[]): void => {
    server = new NodeServer({ client: clientWith(rules), clock: systemClock, logger: silentLogger, allowed: new Set(allowed) })
  }
  afterEach(() => server.close())

  const ask = (
    path: string,
    headers: Record<string, string> = {},
    node = 'node-1',
  ): Promise<{ response: IncomingMessage; socket?: Duplex }> =>
    new Promise((resolve, reject) => {
      request({
        host: 'node',
        path,
        headers,
        method: headers.Upgrade ? 'POST' : 'GET',
        agent: new InProcessAgent(() => server.connect(node)),
      })
        .on('error', reject)
        .on('response', response => resolve({ response }))
        .on('upgrade', (response, socket) => resolve({ response, socket }))
        .end()
    })
  const bodyOf = async (response: IncomingMessage): Promise<string> => {
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks).toString()
  }

  /** Runs a command over SPDY. Returns its output by stream. */
  const run = async (path: string, types: readonly string[], stdin?: string): Promise<Record<string, string>> => {
    const { socket, response } = await ask(path, {
      Connection: 'Upgrade',
      Upgrade: 'SPDY/3.1',
      'X-Stream-Protocol-Version': 'v4.channel.k8s.io',
    })
    if (socket === undefined) throw new Error(`${response.statusCode} ${await bodyOf(response)}`)
    const output: Record<string, string> = {}
    let open = 0
    const connection = new SpdyConnection(socket, { drained: () => {}, ended: () => {} })
    connection.start(Buffer.alloc(0))
    for (const type of types) {
      output[type] = ''
      if (['error', 'stdout', 'stderr'].includes(type)) open++
      const stream = await connection.open([['streamtype', type]], {
        data: bytes => (output[type] += bytes.toString()),
        ended: () => ['error', 'stdout', 'stderr'].includes(type) && open--,
      })
      if (type === 'stdin') {
        stream.write(Buffer.from(stdin ?? ''))
        stream.end()
      }
    }
    await eventually('the command has ended', () => open === 0)
    connection.close()
    return output
  }
  const EXEC = '/exec/default/web/c'

  it('returns logs, and the errors of kubelets', async () => {
    serve({ clusterlogs: { logs: [{ text: 'a\nb' }] } })
    const { response } = await ask('/containerLogs/default/web/c?tailLines=1')
    expect([response.statusCode, await bodyOf(response)]).to.deep.equal([200, 'b\n'])
    const failures = [
      '/containerLogs/default/web/d',
      '/containerLogs/default/other/c',
      '/containerLogs/default/web/c?previous=true',
      '/other',
      '/containerLogs/%',
    ]
    const replies = await Promise.all(
      failures.map(async path => (({ response: r }) => bodyOf(r).then(text => `${r.statusCode} ${text}`))(await ask(path))),
    )
    expect(replies).to.deep.equal([
      '404 container "d" not found in pod "default/web"',
      '404 pod "default/other" does not exist',
      '400 previous terminated container "c" in pod "web" not found',
      '404 404 page not found\n',
      '400 invalid escape in the path',
    ])
    const elsewhere = await ask('/containerLogs/default/web/c', {}, 'node-2')
    expect(elsewhere.response.statusCode).to.equal(404)
  })

  it('says which rule is missing, invalid, or not allowed', async () => {
    const failureOf = async (path: string, types: readonly string[]): Promise<string> =>
      JSON.parse((await run(path, types)).error ?? '').message
    serve({})
    expect(await failureOf(`${EXEC}?command=ls&output=1`, ['error', 'stdout'])).to.include('create an Exec or ClusterExec object')
    expect(await failureOf('/attach/default/web/c?output=1', ['error', 'stdout'])).to.include('create an Attach or ClusterAttach object')
    serve({
      clusterexecs: { execs: [{ local: {} }] },
      clusterlogs: { logs: [{ logsFile: '/etc/hostname' }] },
      clusterattaches: { attaches: [{ ehco: true }] },
    })
    expect(await failureOf(`${EXEC}?command=ls&output=1`, ['error', 'stdout'])).to.include('--simulated-access=processes')
    expect(await failureOf('/attach/default/web/c?output=1', ['error', 'stdout'])).to.equal(
      'ClusterAttach "all" is invalid: spec.attaches[0]: Invalid value: "ehco": unknown field',
    )
    const { response } = await ask('/containerLogs/default/web/c')
    expect([response.statusCode, await bodyOf(response)]).to.deep.equal([
      400,
      'the rule reads a file of the machine of the server, which its operator has not allowed: start it with --simulated-access=files',
    ])
  })

  it('runs commands by a fixed result, an echo, and a process', async () => {
    serve({ clusterexecs: { execs: [{ output: { stdout: 'out', stderr: 'err', exitCode: 3 } }] } })
    const fixed = await run(`${EXEC}?command=x&output=1&error=1`, ['error', 'stdout', 'stderr'])
    expect([fixed.stdout, fixed.stderr]).to.deep.equal(['out', 'err'])
    expect(JSON.parse(fixed.error ?? '')).to.deep.include({
      status: 'Failure',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '3' }] },
    })
    serve({ clusterexecs: { execs: [{ echo: true }] } })
    expect((await run(`${EXEC}?command=say&command=it&output=1`, ['error', 'stdout'])).stdout).to.equal('say it\n')
    const echo = await run(`${EXEC}?command=cat&output=1&input=1`, ['error', 'stdin', 'stdout'], 'typed')
    expect([echo.stdout, JSON.parse(echo.error ?? '')]).to.deep.equal(['typed', { metadata: {}, status: 'Success' }])
    serve({ clusterexecs: { execs: [{ local: { envs: [{ name: 'WHO', value: 'me' }] } }] } }, 'processes')
    const command = ['sh', '-c', 'cat; echo $WHO; echo no >&2; exit 7'].map(word => `command=${encodeURIComponent(word)}`).join('&')
    const local = await run(`${EXEC}?${command}&input=1&output=1&error=1`, ['error', 'stdin', 'stdout', 'stderr'], 'in ')
    expect([local.stdout, local.stderr, JSON.parse(local.error ?? '').details.causes[0].message]).to.deep.equal(['in me\n', 'no\n', '7'])
    const missing = await run(`${EXEC}?command=/no/such/program&output=1`, ['error', 'stdout'])
    expect(JSON.parse(missing.error ?? '').message).to.match(/^cannot start "\/no\/such\/program": /)
  })

  it('runs commands behind a terminal', async () => {
    serve({ clusterexecs: { execs: [{ local: {} }] } }, 'processes')
    const types = ['error', 'stdin', 'stdout', 'resize']
    const local = await run(`${EXEC}?command=cat&input=1&output=1&tty=1`, types, 'typed\r\x04')
    expect([local.stdout, JSON.parse(local.error ?? '').status]).to.deep.equal(['typed\r\ntyped\r\n', 'Success'])
    serve({ clusterexecs: { execs: [{ output: { stdout: 'one\ntwo\n' } }] } })
    expect((await run(`${EXEC}?command=x&input=1&output=1&tty=1`, types)).stdout).to.equal('one\r\ntwo\r\n')
  })

  it('attaches to a text, and echoes the input', async () => {
    serve({ clusterattaches: { attaches: [{ text: 'welcome', echo: true }] } })
    const { stdout } = await run('/attach/default/web/c?output=1&input=1', ['error', 'stdin', 'stdout'], 'typed')
    expect(stdout).to.equal('welcome\ntyped')
  })

  it('runs commands over WebSocket', async () => {
    serve({ clusterexecs: { execs: [{ echo: true }] } })
    const headers = {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Key': Buffer.alloc(16).toString('base64'),
      'Sec-WebSocket-Version': '13',
    }
    const { response, socket } = await ask(`${EXEC}?command=hi&output=1`, { ...headers, 'Sec-WebSocket-Protocol': 'v4.channel.k8s.io' })
    expect(response.headers['sec-websocket-protocol']).to.equal('v4.channel.k8s.io')
    const chunks: Buffer[] = []
    socket?.on('data', (chunk: Buffer) => chunks.push(chunk))
    await eventually('it has ended', () => socket?.readableEnded === true)
    const text = Buffer.concat(chunks).toString('latin1')
    expect(text).to.include('\x01hi\n').and.include('\x03{"metadata":{},"status":"Success"}')
    const refused = await ask(`${EXEC}?command=hi&output=1`, { ...headers, 'Sec-WebSocket-Protocol': 'v1.other' })
    expect(refused.response.statusCode).to.equal(400)
  })

  it('forwards at most 128 ports over a WebSocket', async () => {
    serve({})
    const headers = {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Key': Buffer.alloc(16).toString('base64'),
      'Sec-WebSocket-Version': '13',
    }
    const { response } = await ask(`/portForward/default/web?port=${'80,'.repeat(128)}80`, {
      ...headers,
      'Sec-WebSocket-Protocol': 'v4.channel.k8s.io',
    })
    expect([response.statusCode, await bodyOf(response)]).to.deep.equal([400, 'query parameter "port" may name at most 128 ports'])
  })

  it('forwards ports to an address, a text, and an echo', async () => {
    const target = createHttpServer((_req, res) => res.end('from the target')).listen(0, '127.0.0.1')
    await once(target, 'listening')
    const forwards = [
      { ports: [80], target: { address: '127.0.0.1', port: (target.address() as AddressInfo).port } },
      { ports: [81], text: 'fixed' },
      { ports: [82], echo: true },
      { ports: [83], target: { address: '127.0.0.1', port: 1 } },
      { ports: [85], greeting: '220 ready\r\n' },
    ]
    serve({ clusterportforwards: { forwards } }, 'network')
    const { socket } = await ask('/portForward/default/web', {
      Connection: 'Upgrade',
      Upgrade: 'SPDY/3.1',
      'X-Stream-Protocol-Version': 'portforward.k8s.io',
    })
    if (socket === undefined) throw new Error('not upgraded')
    const connection = new SpdyConnection(socket, { drained: () => {}, ended: () => {} })
    connection.start(Buffer.alloc(0))
    let id = 0
    const send = async (port: number, text: string): Promise<[data: string, error: string]> => {
      const request = [
        ['port', String(port)],
        ['requestid', String(id++)],
      ] as const
      const heard = { error: '', data: '' }
      let errorEnded = false
      const error = await connection.open([['streamtype', 'error'], ...request], {
        data: bytes => (heard.error += bytes.toString()),
        ended: () => (errorEnded = true),
      })
      error.end()
      const data = await connection.open([['streamtype', 'data'], ...request], {
        data: bytes => (heard.data += bytes.toString()),
        ended: () => {},
      })
      if (port === 85) await eventually('it is greeted', () => heard.data !== '')
      data.write(Buffer.from(text))
      if (port === 82 || port === 85) data.end()
      await eventually('the connection has ended', () => errorEnded)
      data.end()
      return [heard.data, heard.error]
    }
    expect((await send(80, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'))[0]).to.include('from the target')
    expect(await send(81, 'x')).to.deep.equal(['fixed', ''])
    expect(await send(85, 'QUIT')).to.deep.equal(['220 ready\r\n', ''])
    expect(await send(82, 'sent')).to.deep.equal(['sent', ''])
    expect((await send(83, 'x'))[1]).to.match(/^port 83: .*ECONNREFUSED/)
    expect((await send(84, 'x'))[1]).to.include('create a PortForward or ClusterPortForward object')
    connection.close()
    target.close()
  })
})
