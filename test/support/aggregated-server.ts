import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { issueCa, issueClient, issueServing, type KeyPair } from '../../src/server/tls/issue.ts'

/** A request as the backend received it. */
export interface Heard {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  /** Names and values as they came. */
  readonly rawHeaders: readonly string[]
  /** Common name of the client's certificate. Undefined if it was not verified. */
  readonly client: string | undefined
}

/**
 * A server of group versions, as those that are written with k8s.io/apiserver: what it does with a request is each
 * test's.
 */
export class AggregatedServer {
  readonly heard: Heard[] = []
  /** Documents by path, without the query. */
  readonly documents = new Map<string, unknown>()
  act: ((req: IncomingMessage, res: ServerResponse) => void) | undefined
  upgradeAct: (req: IncomingMessage, socket: Duplex) => void = (_req, socket) => socket.destroy()
  /** PEM. */
  readonly ca: string
  /** Client certificate of the aggregator. */
  readonly proxyClient: KeyPair
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(ca: string, proxyClient: KeyPair, server: Server) {
    this.ca = ca
    this.proxyClient = proxyClient
    this.#server = server
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    server.on('request', (req, res) => {
      this.heard.push(heardOf(req))
      this.#answer(req, res)
    })
    server.on('upgrade', (req, socket) => {
      this.heard.push(heardOf(req))
      this.upgradeAct(req, socket)
    })
  }

  /** Its certificate is for the service `name` of the namespace `default`. */
  static async start(name: string): Promise<AggregatedServer> {
    const ca = await issueCa('backends')
    const serving = await issueServing(ca, name, { dns: [`${name}.default.svc`], ips: [] })
    const clientCa = await issueCa('front-proxy')
    const proxyClient = await issueClient(clientCa, 'aggregator', [])
    const server = createServer({ ...serving, ca: clientCa.cert, requestCert: true, rejectUnauthorized: false })
    const made = new AggregatedServer(ca.cert, proxyClient, server)
    await made.listen(0)
    return made
  }

  /** It stays the same when it is closed and listens again. */
  port = 0

  async listen(port: number): Promise<void> {
    this.#server.listen(port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.port = (this.#server.address() as AddressInfo).port
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  /** Serves the group version in legacy discovery, with one kind. */
  serves(group: string, version: string, kind: string, verbs = ['create', 'get', 'list', 'watch']): void {
    const groupVersion = `${group}/${version}`
    const plural = `${kind.toLowerCase()}s`
    const resources = [
      { name: plural, singularName: kind.toLowerCase(), namespaced: true, kind, verbs },
      { name: `${plural}/status`, singularName: '', namespaced: true, kind, verbs: ['get'] },
    ]
    this.documents.set(`/apis/${groupVersion}`, { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources })
  }

  #answer(req: IncomingMessage, res: ServerResponse): void {
    if (this.act) {
      this.act(req, res)
      return
    }
    const document = this.documents.get(req.url?.split('?')[0] ?? '')
    res.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(document ?? {}))
  }
}

function heardOf(req: IncomingMessage): Heard {
  const socket = req.socket as TLSSocket
  return {
    method: req.method ?? '',
    url: req.url ?? '',
    headers: req.headers,
    rawHeaders: req.rawHeaders,
    client: socket.authorized ? socket.getPeerCertificate().subject.CN?.toString() : undefined,
  }
}

/** An APIService of a server behind `default/NAME`. */
export const apiServiceOf = (server: AggregatedServer, service: string, group: string, version: string, spec: object = {}) => ({
  kind: 'APIService',
  apiVersion: 'apiregistration.k8s.io/v1',
  metadata: { name: `${version}.${group}` },
  spec: {
    group,
    version,
    groupPriorityMinimum: 500,
    versionPriority: 15,
    service: { namespace: 'default', name: service },
    caBundle: Buffer.from(server.ca).toString('base64'),
    ...spec,
  },
})
