import { readFileSync } from 'node:fs'
import type { Act } from './webhook-server.ts'

interface OddAnswers {
  /** Patches of mutating webhooks: operations, or the JSON as it stands. */
  readonly operations: Readonly<Record<string, unknown>>
  /** The member `patch` as it stands. */
  readonly patches: Readonly<Record<string, string>>
  /** The member `response`, beside the uid. */
  readonly responses: Readonly<Record<string, object>>
  /** Whole bodies. `$UID` stands for the uid of the request. */
  readonly texts: Readonly<Record<string, string>>
}

const ODD: OddAnswers = JSON.parse(readFileSync(new URL('../../fixtures/webhooks/odd-answers.json', import.meta.url), 'utf8'))

const uidOf = (review: Record<string, unknown>): string => (review.request as { uid?: string } | undefined)?.uid ?? ''

const review =
  (response: object): Act =>
  asked => ({ apiVersion: asked.apiVersion, kind: 'AdmissionReview', response: { uid: uidOf(asked), ...response } })

const base64 = (operations: unknown): string =>
  Buffer.from(typeof operations === 'string' ? operations : JSON.stringify(operations)).toString('base64')

const text =
  (body: string): Act =>
  (asked, res) =>
    void res.writeHead(200, { 'content-type': 'application/json' }).end(body.replaceAll('$UID', uidOf(asked)))

const status =
  (code: number, body: string, headers: Record<string, string>): Act =>
  (_asked, res) =>
    void res.writeHead(code, headers).end(body)

const CODES = [201, 202, 204, 206, 207, 300, 304, 400, 401, 403, 404, 405, 409, 410, 413, 415, 422, 429, 500, 501, 502, 503, 504, 599]
const STATUS = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'said', reason: 'Conflict', code: 409 })
const REDIRECTS = [300, 301, 302, 303, 305, 307, 308]
const LOCATIONS: Readonly<Record<string, string>> = {
  loop: '/odd/redirect-loop',
  none: '',
  malformed: 'http://[::1',
  scheme: 'ftp://127.0.0.1/x',
  chain: '/odd/redirect-308',
  fragment: '/odd/http-500#x',
}

const named = <T>(prefix: string, of: Readonly<Record<string, T>>, act: (value: T) => Act): [string, Act][] =>
  Object.entries(of).map(([name, value]) => [`/odd/${prefix}-${name}`, act(value)])
const ofCodes = (prefix: string, codes: readonly number[], act: (code: number) => Act): [string, Act][] =>
  codes.map(code => [`/odd/${prefix}-${code}`, act(code)])

/** Responses that only mutating webhooks may send. */
export const ODD_PATCHES: Readonly<Record<string, Act>> = Object.fromEntries([
  ...named('operations', ODD.operations, operations => review({ allowed: true, patchType: 'JSONPatch', patch: base64(operations) })),
  ...named('patch', ODD.patches, patch => review({ allowed: true, patchType: 'JSONPatch', patch })),
])

/** Responses of webhooks of both kinds. */
export const ODD_ANSWERS: Readonly<Record<string, Act>> = Object.fromEntries([
  ...named('response', ODD.responses, review),
  ...named('text', ODD.texts, text),
  ...ofCodes('http', CODES, code => status(code, code === 204 || code === 304 ? '' : 'oops', { 'content-type': 'text/plain' })),
  ...ofCodes('status', [409, 422, 500, 503], code => status(code, STATUS, { 'content-type': 'application/json' })),
  ...ofCodes('redirect', REDIRECTS, code => status(code, '', { location: '/odd/response-statusneg' })),
  ...named('redirect', LOCATIONS, location => status(307, '', location === '' ? {} : { location })),
])
