import { mkdtemp, rm } from 'node:fs/promises'
import http from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Authenticator, authenticatorChain } from '../../src/auth/authn/authenticator.ts'
import { clientCertificate } from '../../src/auth/authn/client-certificate.ts'
import { bearerAuthenticator } from '../../src/auth/authn/token.ts'
import { fileTokens, parseTokenFile } from '../../src/auth/authn/token-file.ts'
import { joinAuthorizers, privileged, publicInformation } from '../../src/auth/authz/authorizers.ts'
import type { Api } from '../../src/endpoints/api.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { Health } from '../../src/server/health.ts'
import { responseBuffers } from '../../src/server/http/response-buffers.ts'
import { encodeStatusAsJson } from '../../src/server/http/status-body.ts'
import { type RunningServer, startServer } from '../../src/server/server.ts'
import type { ServerOptions, ServingConduct } from '../../src/server/server-options.ts'
import { loadCredentials } from '../../src/server/tls/material.ts'
import { DEFAULT_TLS_POLICY } from '../../src/server/tls/tls-policy.ts'
import { versionInfo } from '../../src/server/version.ts'
import { type Handler, handlerApi } from './api-handler.ts'
import { type WholeCredentials, whole } from './credentials.ts'
import { featuresOf } from './hook-context.ts'
import { HTTP2_STACK } from './http2-stacks.ts'

export interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
}

export interface Request {
  readonly method?: string
  readonly headers?: http.OutgoingHttpHeaders
  readonly body?: Buffer | string
}

export interface TestServer {
  readonly running: RunningServer
  readonly credentials: WholeCredentials
  readonly health: Health
  /** Over plain HTTP/1.1, as an administrator. */
  plain(path: string, request?: Request): Promise<Answer>
  /** Over TLS and HTTP/1.1, without a client certificate unless `admin`. */
  secure(path: string, request?: Request & { admin?: boolean }): Promise<Answer>
  /** Over TLS and HTTP/2, as an administrator. */
  http2(path: string, request?: Request): Promise<Answer>
  close(): Promise<void>
}

let certificates: Promise<WholeCredentials> | undefined

/** One set of certificates for all tests of a run. */
async function makeCertificates(): Promise<WholeCredentials> {
  const directory = await mkdtemp(join(tmpdir(), 'binnacle-test-'))
  const made = await whole(loadCredentials({ directory, names: { dns: ['localhost'], ips: ['127.0.0.1'] } }))
  await rm(directory, { recursive: true })
  return made
}

/** Members that differ from those of a test, by group. */
export type GivenServerOptions = { readonly [Group in Exclude<keyof ServerOptions, 'log'>]?: Partial<ServerOptions[Group]> }

const isServed: ServerOptions['endpoints']['isServed'] = ({ group, version, resource, subresource }) =>
  group === '' && version === 'v1' && ['things', 'pods'].includes(resource) && ['', 'log'].includes(subresource)

/** Response headers and policies of a server without flags. */
export const ORDINARY: ServingConduct = { hsts: [], corsOrigins: [], goawayChance: 0, readOnly: false }

/**
 * A server on free ports with the given API, or a handler in place of one, behind the whole chain of filters. Tokens:
 * `alice`, who may do nothing.
 */
export async function startTestServer(serving: Handler | Api, given: GivenServerOptions = {}): Promise<TestServer> {
  certificates ??= makeCertificates()
  const credentials = await certificates
  const health = new Health(silentLogger)
  const authenticator: Authenticator = authenticatorChain(
    [clientCertificate(Date.now), bearerAuthenticator(fileTokens(parseTokenFile('alice,alice,1', 'test'), []), [])],
    true,
  )
  const running = await startServer({
    endpoints: {
      api: typeof serving === 'function' ? handlerApi(serving) : serving,
      isServed,
      followGone: () => {},
      health,
      version: versionInfo(process, featuresOf()),
      ...given.endpoints,
    },
    exchange: { encodeStatus: encodeStatusAsJson, compressAnswers: true, memory: responseBuffers(), ...given.exchange },
    access: { authenticator, authorizer: joinAuthorizers([privileged, publicInformation]), impersonation: 'plain', ...given.access },
    ports: { bindAddress: '127.0.0.1', secure: 0, insecure: 0, ...given.ports },
    tls: { material: credentials.tls, policy: DEFAULT_TLS_POLICY, ...given.tls },
    http: { http2: HTTP2_STACK, maxStreams: 1000, conduct: ORDINARY, wording: '1.24', ...given.http },
    limits: { flowLimits: undefined, maxInFlight: 400, maxMutatingInFlight: 200, timeoutMs: 60_000, ...given.limits },
    observability: { logRequests: false, features: [], metrics: [], ...given.observability },
    simulation: given.simulation ?? {},
    log: silentLogger,
  })
  const agent = new https.Agent({ keepAlive: true, ca: credentials.serverCa })
  const adminAgent = new https.Agent({ keepAlive: true, ca: credentials.serverCa, ...credentials.admin })
  let session: http2.ClientHttp2Session | undefined
  return {
    running,
    credentials,
    health,
    plain: (path, request = {}) => ask(http.request({ ...target(path, request), port: running.insecurePort, agent: false }), request),
    secure: (path, request = {}) =>
      ask(https.request({ ...target(path, request), port: running.securePort, agent: request.admin ? adminAgent : agent }), request),
    http2: (path, request = {}) => {
      session ??= http2.connect(`https://127.0.0.1:${running.securePort}`, { ca: credentials.serverCa, ...credentials.admin })
      return askHttp2(session, path, request)
    },
    async close() {
      agent.destroy()
      adminAgent.destroy()
      session?.destroy()
      await running.stop(0)
    },
  }
}

const target = (path: string, { method = 'GET', headers = {} }: Request) => ({ host: '127.0.0.1', path, method, headers })

function ask(request: http.ClientRequest, { body }: Request): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request.on('error', reject)
    request.on('response', response => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }))
    })
    request.end(body)
  })
}

function askHttp2(session: http2.ClientHttp2Session, path: string, { method = 'GET', headers = {}, body }: Request): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':method': method, ':path': path, ...headers })
    const parts: Buffer[] = []
    let answer: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader = {}
    stream.on('response', received => {
      answer = received
    })
    stream.on('data', (part: Buffer) => parts.push(part))
    stream.on('error', reject)
    stream.on('end', () => resolve({ status: answer[':status'] ?? 0, headers: answer, body: Buffer.concat(parts) }))
    stream.end(body)
  })
}
