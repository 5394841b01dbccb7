import { Readable } from 'node:stream'
import type { Destination } from '../../catalog/connect.ts'
import { DialError } from '../../lib/dial-error.ts'
import type { Header } from '../../lib/header.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import { escapePath, joinPaths, parseUrl } from '../../lib/url.ts'
import { internalServerError, serviceUnavailableError } from '../../meta/status.ts'
import type { Exchange } from '../exchange.ts'
import { type Ask, authorityOf, type Reply } from './ask.ts'
import { endToEnd, firstValue, forwardedHeaders, withHeader } from './headers.ts'
import { rewritePage } from './page.ts'
import { codingOf } from './page-coding.ts'
import { passedBack } from './response-headers.ts'
import { type ProxyLocation, rewriteUrl } from './rewrite.ts'

const REDIRECT_REFUSED = Buffer.from('the backend attempted to redirect this request, which is not permitted')

/** How a request is proxied. */
export interface Passing {
  readonly ask: Ask
  /** Optional. Returns the headers to send instead of the forwarded ones. */
  headers?(headers: readonly Header[], to: Destination): Header[]
  /** Whether a redirect of the backend is refused. */
  readonly refusesRedirects?: boolean
}

/**
 * Proxies a request and its response. Both are streamed at the pace of their readers. Headers are forwarded as by a
 * reverse proxy. Redirects and links in HTML pages are rewritten so that they lead through this server again.
 */
export async function forward(exchange: Exchange, destination: Destination, passing: Passing): Promise<void> {
  const own = destination.path
  const asked = exchange.path
  const path = !own.endsWith('/') && asked.endsWith('/') ? `${own}/` : own
  const query = exchange.search
  if (path === '' && (exchange.method === 'GET' || exchange.method === 'HEAD')) {
    // Relative links of a page require a trailing slash.
    return exchange.relay(
      301,
      ['Location', `${escapePath(asked)}/${query === '' ? '' : `?${query}`}`, 'Content-Length', '0'],
      Readable.from([]),
    )
  }
  const to: Destination = { ...destination, path, query }
  const prefix = prefixOf(asked, own)
  const headers = withHeader(endToEnd(forwardedHeaders(exchange)), 'X-Forwarded-Uri', forwardedUri(prefix, path))
  const reply = await sendRequest(exchange, to, passing.ask, passing.headers?.(headers, to) ?? headers)
  const place: ProxyLocation = { prefix, origin: authorityOf(to), asked: firstValue(headers, 'host') }
  await answer(exchange, reply, place, passing.refusesRedirects === true)
}

/** Returns the part of the client's path before the destination's path. */
function prefixOf(asked: string, own: string): string {
  const suffix = asked.endsWith('/') && !own.endsWith('/') ? `${own}/` : own
  return asked.endsWith(suffix) ? asked.slice(0, asked.length - suffix.length) : asked
}

/** Returns upstream's X-Forwarded-Uri: the client's path, escaped a second time. */
function forwardedUri(prefix: string, path: string): string {
  const joined = joinPaths(prefix, escapePath(path))
  return path.endsWith('/') ? `${joined}/` : joined
}

/** Sends the request. Throws 503 if the destination cannot be reached. A body of unknown length is chunked. */
async function sendRequest(exchange: Exchange, to: Destination, ask: Ask, headers: readonly Header[]): Promise<Reply> {
  const body = exchange.bodyStream()
  const chunked: Header[] = body && firstValue(headers, 'content-length') === '' ? [['Transfer-Encoding', 'chunked']] : []
  try {
    return await ask(to, { method: exchange.method, headers: [...headers, ...chunked].flat(), body, signal: exchange.ctx.signal })
  } catch (error) {
    if (!(error instanceof DialError)) throw error
    throw serviceUnavailableError(`error trying to reach service: ${error.message}`)
  }
}

/** Sends the response. Redirects and pages are rewritten; everything else is streamed. */
async function answer(exchange: Exchange, { response, upgraded }: Reply, place: ProxyLocation, refusesRedirects: boolean): Promise<void> {
  if (upgraded) {
    upgraded.socket.destroy()
    throw serviceUnavailableError('error trying to reach service: it switched protocols unasked')
  }
  const headers = passedBack(response.rawHeaders)
  const status = response.statusCode ?? 502
  const location = firstValue(headers, 'location')
  if (refusesRedirects && location !== '' && status >= 300 && status <= 399) {
    response.destroy()
    return exchange.relay(502, ['Content-Length', String(REDIRECT_REFUSED.length)], Readable.from([REDIRECT_REFUSED]))
  }
  if (location !== '') {
    if (!parseUrl(location)) {
      response.destroy()
      throw internalServerError(`error trying to parse Location header: ${JSON.stringify(location)}`)
    }
    return exchange.relay(status, withHeader(headers, 'Location', rewriteUrl(location, place)).flat(), response)
  }
  const isPage = firstValue(headers, 'content-type').split(';')[0]?.trim() === 'text/html'
  if (!isPage || exchange.method === 'HEAD') return exchange.relay(status, headers.flat(), response)
  return answerPage(exchange, status, headers, response, link => rewriteUrl(link, place))
}

/**
 * Sends a page with rewritten links. If its coding is unknown or does not match its header, the page is sent unchanged.
 */
async function answerPage(
  exchange: Exchange,
  status: number,
  headers: readonly Header[],
  response: Readable,
  rewrite: (link: string) => string,
): Promise<void> {
  const coding = codingOf(firstValue(headers, 'content-encoding'))
  if (!coding) return exchange.relay(status, headers.flat(), response)
  const chunks: AsyncIterableIterator<Buffer> = response.iterator({ destroyOnReturn: false })
  const { value: first, done } = await chunks.next()
  if (done === true || !coding.fits(first)) {
    return exchange.relay(status, headers.flat(), Readable.from(done === true ? [] : withRest(first, chunks), { objectMode: false }))
  }
  if (turnIsSpent()) await nextTurn()
  const { body, isDecoded } = rewritePage(withRest(first, chunks), coding, rewrite)
  body.once('close', () => response.destroy())
  const changed = new Set(isDecoded ? ['content-length', 'content-encoding'] : ['content-length'])
  await exchange.relay(status, headers.filter(([name]) => !changed.has(name.toLowerCase())).flat(), body)
}

async function* withRest(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first
  yield* rest
}
