import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import { type AddressInfo, connect as connectTcp, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { mediaOffer } from '../../src/codec/accept-header.ts'
import type { Kubelets } from '../../src/endpoints/connect/ask.ts'
import type { StreamTranslation } from '../../src/endpoints/connect/stream-translation.ts'
import type { Authorizer } from '../../src/meta/authorizer.ts'
import { issueCa, issueClient, issueServing } from '../../src/server/tls/issue.ts'
import type { AnyObject } from './any-object.ts'
import { testApi } from './api-handler.ts'
import { builtinRegistry } from './builtin-registry.ts'
import { clockOf } from './clock-of.ts'
import { holdPort } from './held-port.ts'
import { startTestServer, type TestServer } from './server.ts'
import type { TestRegistry } from './test-registry.ts'
import { eventually } from './waiting.ts'

/** Address of this machine that is not a loopback address, to which proxies may connect. Undefined if it has none. */
export const ownAddress = Object.values(networkInterfaces())
  .flatMap(each => each ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

export type Act = (req: http.IncomingMessage, res: http.ServerResponse) => void
export type UpgradeAct = (req: http.IncomingMessage, socket: Duplex, head: Buffer) => void

/**
 * A server at the other end: a kubelet (HTTPS, with a request for client certificates) or a server in a pod (HTTP).
 * Each test sets its behaviour.
 */
export class OtherEnd {
  act: Act = (_req, res) => res.end()
  upgradeAct: UpgradeAct = (_req, socket) => socket.destroy()
  readonly requests: http.IncomingMessage[] = []
  readonly sockets = new Set<Socket>()
  readonly server: http.Server

  constructor(tls?: https.ServerOptions) {
    const listener: Act = (req, res) => {
      this.requests.push(req)
      this.act(req, res)
    }
    this.server = tls ? https.createServer(tls, listener) : http.createServer(listener)
    this.server.on('connection', (socket: Socket) => {
      this.sockets.add(socket)
      socket.once('close', () => this.sockets.delete(socket))
    })
    this.server.on('upgrade', (req, socket, head) => {
      this.requests.push(req)
      this.upgradeAct(req, socket, head)
    })
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  get last(): http.IncomingMessage {
    return this.requests.at(-1) as http.IncomingMessage
  }

  async listen(host: string): Promise<this> {
    this.server.listen(0, host)
    await once(this.server, 'listening')
    return this
  }

  close(): void {
    this.server.close()
    for (const socket of this.sockets) socket.destroy()
  }
}

export interface World {
  readonly registry: TestRegistry
  readonly server: TestServer
  readonly kubelet: OtherEnd
  /** PEM: what the kubelet shows. */
  readonly kubeletCertificate: string
  /** The server on `ownAddress`. Nothing listens if that is undefined. */
  readonly inPod: OtherEnd
  /** A port of 127.0.0.1 without a listener. */
  readonly deadPort: number
  close(): Promise<void>
}

/**
 * A server over a store in memory, with the nodes `n` (the kubelet), `dead` (no listener), `bare` (no address), and in
 * the namespace `ns` the pods `one` (container c, on n), `two` (a and b, on n), `lost` (on dead), `bare` (on bare),
 * `gone` (on a missing node), `new` (on none); `one` has the address of the server in the pod.
 */
export async function connectWorld(streams?: StreamTranslation, streamCreation?: Authorizer['authorize']): Promise<World> {
  const ca = await issueCa('kubelets')
  const serving = await issueServing(ca, 'kubelet', { dns: ['localhost'], ips: ['127.0.0.1'] })
  const clientCa = await issueCa('clients')
  const client = await issueClient(clientCa, 'apiserver', ['masters'])
  const kubelet = await new OtherEnd({ ...serving, ca: clientCa.cert, requestCert: true, rejectUnauthorized: false }).listen('127.0.0.1')
  const inPod = new OtherEnd()
  if (ownAddress) await inPod.listen(ownAddress)
  const dead = await holdPort()
  const deadPort = dead.port
  const registry = builtinRegistry()
  await fill(registry, kubelet.port, ownAddress ? inPod.port : 1, deadPort)
  const server = await serverOver(
    registry,
    { addressTypes: ['Hostname', 'InternalIP'], port: 10250, certificateAuthority: ca.cert, client },
    streams,
    streamCreation,
  )
  return {
    registry,
    server,
    kubelet,
    kubeletCertificate: serving.cert,
    inPod,
    deadPort,
    async close() {
      await server.close()
      kubelet.close()
      dead.release()
      if (ownAddress) inPod.close()
    },
  }
}

/** A server that reaches kubelets in its own way. */
export function serverOver(
  t: TestRegistry,
  kubelets: Kubelets,
  streams?: StreamTranslation,
  streamCreation?: Authorizer['authorize'],
): Promise<TestServer> {
  const env = {
    catalog: t.catalog,
    registry: t.registry,
    clock: clockOf(() => t.now),
    minRequestTimeoutSeconds: 1800,
    kubelets,
    ...(streams && { streams }),
    ...(streamCreation && { streamCreation }),
    media: mediaOffer(),
    watchList: true,
    shutdown: new AbortController().signal,
  }
  return startTestServer(testApi(env))
}

const object = (value: object): AnyObject => value as AnyObject

async function fill(t: TestRegistry, kubeletPort: number, podPort: number, deadPort: number): Promise<void> {
  const api = t.access()
  const core = (resource: string) => ({ group: '', resource })
  const node = async (name: string, port: number, addresses: object[]): Promise<void> => {
    await api.create(core('nodes'), '', object({ kind: 'Node', apiVersion: 'v1', metadata: { name }, spec: {} }))
    const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: port } } }
    await api.update(core('nodes'), '', name, found => Object.assign(found, { status }), { subresource: 'status' })
  }
  const local = [
    { type: 'ExternalIP', address: '203.0.113.1' },
    { type: 'InternalIP', address: '127.0.0.1' },
  ]
  await node('n', kubeletPort, local)
  await node('dead', deadPort, local)
  await node('bare', 1, [{ type: 'ExternalIP', address: '203.0.113.1' }])
  const pod = async (name: string, nodeName: string | undefined, containers: string[], ip?: string): Promise<void> => {
    const spec = {
      ...(nodeName !== undefined && { nodeName }),
      containers: containers.map(each => ({ name: each, image: 'i:1', ...(ip !== undefined && { ports: [{ containerPort: podPort }] }) })),
    }
    await api.create(core('pods'), 'ns', object({ kind: 'Pod', apiVersion: 'v1', metadata: { name, namespace: 'ns' }, spec }))
    const status = { phase: 'Running', ...(ip !== undefined && { podIP: ip, podIPs: [{ ip }] }) }
    await api.update(core('pods'), 'ns', name, found => Object.assign(found, { status }), { subresource: 'status' })
  }
  await pod('one', 'n', ['c'], ownAddress ?? '203.0.113.9')
  await pod('two', 'n', ['a', 'b'], '127.0.0.1')
  await pod('lost', 'dead', ['c'])
  await pod('bare', 'bare', ['c'])
  await pod('gone', 'nowhere', ['c'])
  await pod('new', undefined, ['c'])
  const ports = [{ name: 'web', port: 80, targetPort: podPort }]
  for (const name of ['s', 'empty', 'strange'])
    await api.create(
      core('services'),
      'ns',
      object({ kind: 'Service', apiVersion: 'v1', metadata: { name, namespace: 'ns' }, spec: { ports } }),
    )
  const endpoints = async (name: string, addresses: object[]): Promise<void> => {
    const subsets = addresses.length === 0 ? [] : [{ addresses, ports: [{ name: 'web', port: podPort }] }]
    await api.create(core('endpoints'), 'ns', object({ kind: 'Endpoints', apiVersion: 'v1', metadata: { name, namespace: 'ns' }, subsets }))
  }
  const targetRef = { kind: 'Pod', namespace: 'ns', name: 'one' }
  await endpoints('s', [{ ip: ownAddress ?? '203.0.113.9', targetRef }])
  await endpoints('empty', [])
  await endpoints('strange', [{ ip: '203.0.113.7', targetRef }, { ip: '203.0.113.8' }])
}

/**
 * Sends bytes to a server's plain port, or its secure one, and gives what comes back until it ends or `until` is in it.
 */
export async function speak(server: TestServer, over: 'plain' | 'tls', text: string): Promise<Conversation> {
  const { running, credentials } = server
  const port = over === 'plain' ? (running.insecurePort as number) : running.securePort
  const socket =
    over === 'plain'
      ? connectTcp(port, '127.0.0.1')
      : connectTls({ port, host: '127.0.0.1', ca: credentials.serverCa, ...credentials.admin, ALPNProtocols: ['http/1.1'] })
  await once(socket, over === 'plain' ? 'connect' : 'secureConnect')
  socket.write(text)
  return new Conversation(socket)
}

export class Conversation {
  readonly socket: Socket
  heard = ''
  ended = false

  constructor(socket: Socket) {
    this.socket = socket
    socket.setEncoding('latin1')
    socket.on('data', data => {
      this.heard += data
    })
    socket.on('error', () => {})
    socket.on('end', () => socket.end())
    socket.on('close', () => {
      this.ended = true
    })
  }

  say(text: string): void {
    this.socket.write(text)
  }

  /** Waits until this has been heard. */
  async hear(wanted: string): Promise<string> {
    const check = (): boolean => {
      if (!this.heard.includes(wanted)) throw new Error(`not heard: ${wanted}\nbut: ${this.heard}`)
      return true
    }
    await eventually(wanted, check)
    return this.heard
  }

  async end(): Promise<string> {
    const check = (): boolean => {
      if (!this.ended) throw new Error(`it does not end: ${this.heard}`)
      return true
    }
    await eventually('the end', check)
    return this.heard
  }
}
