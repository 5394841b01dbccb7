import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Json } from '../../../api/meta/object.ts'
import { readForeignJson } from '../../../codec/foreign-json.ts'
import { boundExchange } from '../../../lib/bounded-exchange.ts'
import { type Dial, DialledAgent, DialledTlsAgent, type Egress } from '../../../lib/connect-proxy.ts'
import { CANCELED, DEADLINE, withDeadline } from '../../../lib/deadline.ts'
import { dialError } from '../../../lib/dial-error.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { quote } from '../../../lib/go-quote.ts'
import { onAbort } from '../../../lib/on-abort.ts'
import { readBounded } from '../../../lib/read-bounded.ts'
import { TlsAgent } from '../../../lib/tls-agent.ts'
import { trustedCertificates } from '../../../lib/trusted-certificates.ts'
import { AuthenticationConfigError } from './configuration-file.ts'

/** Response of an issuer. */
export interface Fetched {
  /** Status line without the protocol, such as `200 OK`. */
  readonly status: string
  readonly code: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** HTTP client for one issuer. Throws an Error with the message of Go's net/http. */
export interface IssuerClient {
  get(url: string, accessToken?: string): Promise<Fetched>
}

/** Timeout of a request including redirects, in milliseconds. */
const TIMEOUT_MS = 30_000
const MOST_REDIRECTS = 10
const REDIRECTS = [301, 302, 303, 307, 308]
/** Maximum size of a response in bytes. Key sets have a few kilobytes, and at most 200 keys are accepted. */
const MAX_BODY_BYTES = 1 << 20
const MAX_EXCERPT = 2048
const IDLE_MS = 90_000
/** Maximum number of connections per host. */
const MOST_SOCKETS = 8

/**
 * Creates a client, which is closed when the signal aborts. @param authority PEM of trusted CAs. Empty for those of the
 * system. @param dial default: dial directly.
 */
export function issuerClient(authority: string, signal: AbortSignal, dial?: Dial): IssuerClient {
  const common = { keepAlive: true, timeout: IDLE_MS, maxSockets: MOST_SOCKETS, maxFreeSockets: 2 }
  const secure = { ...common, ...(authority !== '' && trustedCertificates(authority)) }
  const agents = {
    'https:': dial ? new DialledTlsAgent(dial, secure) : new TlsAgent(secure),
    'http:': dial ? new DialledAgent(dial, common) : new HttpAgent(common),
  }
  onAbort(signal, () => {
    agents['https:'].destroy()
    agents['http:'].destroy()
  })
  const isScheme = (scheme: string): scheme is keyof typeof agents => Object.hasOwn(agents, scheme)
  const once = (url: URL, accessToken: string, ending: AbortSignal): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      if (!isScheme(url.protocol)) throw new Error(`unsupported protocol scheme ${JSON.stringify(url.protocol.slice(0, -1))}`)
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest
      const headers = { 'user-agent': 'Go-http-client/1.1', ...(accessToken !== '' && { authorization: `Bearer ${accessToken}` }) }
      const sent = send(url, { agent: agents[url.protocol], headers, signal: ending })
      boundExchange(sent)
      sent.on('error', reject).on('response', resolve).end()
    })
  const follow = async (text: string, accessToken: string, ending: AbortSignal): Promise<Fetched> => {
    let url = text
    try {
      for (let redirects = 0; ; redirects++) {
        const at = new URL(url)
        // The access token is only sent to the host it was issued for.
        const response = await once(at, new URL(text).host === at.host ? accessToken : '', ending)
        const { statusCode = 0, statusMessage = '', headers } = response
        const next = REDIRECTS.includes(statusCode) ? headers.location : undefined
        if (next === undefined)
          return {
            status: `${statusCode} ${statusMessage}`,
            code: statusCode,
            headers,
            body: await readBounded(response, { maxBytes: MAX_BODY_BYTES, tooLong: bodyTooLong }),
          }
        response.destroy()
        if (redirects >= MOST_REDIRECTS) throw new Error(`stopped after ${MOST_REDIRECTS} redirects`)
        url = new URL(next, at).href
      }
    } catch (error) {
      throw new Error(`Get ${JSON.stringify(url)}: ${ending.aborted ? endedBy(signal) : issuerError(error, url)}`)
    }
  }
  return {
    get: (text, accessToken = '') => withDeadline(signal, TIMEOUT_MS, ending => follow(text, accessToken, ending)),
  }
}

/**
 * Returns the dialer for an issuer's egressSelectorType. Undefined to dial directly. Throws AuthenticationConfigError
 * if the egress configuration lacks the type. Source: egressLookupForType in k8s.io/apiserver,
 * plugin/pkg/authenticator/token/oidc.
 */
export function issuerDial(type: string, egress: Egress = {}): Dial | undefined {
  if (type !== 'cluster' && type !== 'controlplane') return undefined
  if (!egress.named) throw new AuthenticationConfigError(`oidc: egress lookup required with egress selector type ${quote(type)}`)
  if (!egress.named.has(type)) throw new AuthenticationConfigError(`oidc: egress lookup for ${quote(type)} is not configured`)
  return egress[type]
}

const bodyTooLong = (): Error => new Error('http: response body too large')

const endedBy = (signal: AbortSignal): string =>
  signal.aborted ? CANCELED : `${DEADLINE} (Client.Timeout exceeded while awaiting headers)`

function issuerError(error: unknown, url: string): string {
  if (!URL.canParse(url)) return 'invalid URL'
  const { hostname, port, protocol } = new URL(url)
  return dialError(error, `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`).message
}

/** Excerpt of a body for error messages, which are logged per token. */
export const excerptOf = (body: Buffer): string => body.subarray(0, MAX_EXCERPT).toString()

/** Parses the JSON of a response, in steps. Throws an Error with go-oidc's message. */
export async function readResponseJson({ body, headers }: Fetched): Promise<Json> {
  try {
    return await readForeignJson(body)
  } catch (error) {
    const why = errorMessage(error)
    const type = headers['content-type'] ?? ''
    if (type.split(';', 1)[0]?.trim().toLowerCase() === 'application/json')
      throw new Error(`got Content-Type = application/json, but could not unmarshal as JSON: ${why}`)
    throw new Error(`expected Content-Type = application/json, got ${JSON.stringify(type)}: ${why}`)
  }
}
