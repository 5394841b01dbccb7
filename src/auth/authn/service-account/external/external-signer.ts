import { isJsonObject, type Json } from '../../../../api/meta/object.ts'
import type { Clock } from '../../../../lib/clock.ts'
import { errorMessage } from '../../../../lib/error-message.ts'
import { quote } from '../../../../lib/go-quote.ts'
import type { Logger } from '../../../../lib/log.ts'
import { isSince, type Release } from '../../../../lifecycle/release.ts'
import { SocketCallError, SocketClient } from '../../../../protocols/grpc/socket-client.ts'
import type { ServiceAccountClaims } from '../claims.ts'
import type { VerificationKey } from '../keys.ts'
import type { LegacyClaims } from '../legacy.ts'
import { decodeKeys, decodeMetadata, decodeSigned, encodeSign } from './messages.ts'
import type { SignerMetrics } from './metrics.ts'
import { MOST_KEY_ID, SignerKeys } from './signer-keys.ts'

/** Client of an external process that signs service account tokens and provides the keys that verify them. */
export interface ExternalSigner {
  /** Maximum lifetime of its tokens, in seconds. */
  readonly maxExpirationSeconds: number
  /** Signs claims and returns the token. Throws an Error with upstream's message. */
  sign(claims: ServiceAccountClaims | LegacyClaims): Promise<string>
  /** Returns the keys of an ID, or all without one. */
  keys(id?: string): Promise<readonly VerificationKey[]>
  /** Returns how long clients may cache the keys, in seconds. */
  maxAgeSeconds(): number
  /** Stops fetching keys and closes the connection. */
  close(): void
}

/** Options of an external signer. */
export interface ExternalSignerOptions {
  /** Path of a Unix socket, or `@name` in the abstract namespace. */
  readonly endpoint: string
  /** Determines the protocol version: v1alpha1 before 1.34. */
  readonly release: Release
  /** Metrics of calls, keys and signatures. */
  readonly metrics: SignerMetrics
  /** Clock by which keys become outdated. */
  readonly clock: Clock
  readonly log: Logger
  /** Optional. Timeout of FetchKeys. Default: 60 s. Shorter in tests. */
  readonly keysTimeoutMs?: number
}

/** Timeout of FetchKeys, as upstream. */
const KEYS_TIMEOUT_MS = 60_000
/** Timeout of Metadata, which is called once. */
const METADATA_TIMEOUT_MS = 10_000
/** Timeout of Sign: that of a whole request. */
const SIGN_TIMEOUT_MS = 60_000
/** Maximum response size in bytes: room for a thousand keys. */
const MAX_RESPONSE_BYTES = 1 << 20
/** Least lifetime that a token request can have, so a signer must support it. */
const LEAST_EXPIRATION_SECONDS = 600
/** Maximum length of a token header. A key ID of 1 KiB takes at most 8 KiB of it. */
const MAX_HEADER_LENGTH = 16 * 1024
/** Algorithms by which clients verify tokens with the published keys. */
const ALGORITHMS = ['RS256', 'ES256', 'ES384', 'ES512']
/** Empty message of gRPC. */
const NOTHING = Buffer.alloc(0)

/**
 * Connects to a signer: fetches its keys and maximum lifetime, and waits for it if it is not running yet. Throws an
 * Error with upstream's message.
 * https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#external-serviceaccount-token-signing-and-key-management
 */
export async function openExternalSigner(options: ExternalSignerOptions): Promise<ExternalSigner> {
  const { endpoint, release, metrics, clock, log, keysTimeoutMs = KEYS_TIMEOUT_MS } = options
  const client = new SocketClient({ path: endpoint, maxResponseBytes: MAX_RESPONSE_BYTES, observer: metrics.called.bind(metrics) })
  const service = `/${isSince(release, '1.34') ? 'v1' : 'v1alpha1'}.ExternalJWTSigner/`
  const stopped = new AbortController()
  const keys = new SignerKeys({
    fetch: () => client.call(`${service}FetchKeys`, NOTHING, keysTimeoutMs, decodeKeys),
    codeOf: grpcStatusOf,
    metrics,
    clock,
    log,
  })
  const signed = async (claims: string): Promise<string> => {
    const { header, signature } = await client
      .call(`${service}Sign`, encodeSign(claims), SIGN_TIMEOUT_MS, decodeSigned)
      .catch((error: unknown) => {
        throw new Error(`while signing jwt: ${errorMessage(error)}`, { cause: error })
      })
    await checkHeader(header, keys).catch((error: unknown) => {
      throw new Error(`while validating header: ${errorMessage(error)}`)
    })
    if (signature === '') throw new Error('empty signature returned')
    return `${header}.${claims}.${signature}`
  }
  try {
    await keys.sync().catch((error: unknown) => {
      throw new Error(`while initially filling key cache: while performing initial cache fill: ${errorMessage(error)}`)
    })
    const maxExpirationSeconds = await client.call(`${service}Metadata`, NOTHING, METADATA_TIMEOUT_MS, decodeMetadata)
    void keys.follow(stopped.signal)
    return {
      maxExpirationSeconds: checkedExpiration(maxExpirationSeconds),
      keys: id => keys.find(id),
      maxAgeSeconds: () => keys.maxAgeSeconds(),
      async sign(claims) {
        try {
          const token = await signed(Buffer.from(JSON.stringify(claims)).toString('base64url'))
          metrics.signed('OK')
          return token
        } catch (error) {
          metrics.signed(grpcStatusOf(error))
          throw error
        }
      },
      close() {
        stopped.abort()
        client.close()
      },
    }
  } catch (error) {
    stopped.abort()
    client.close()
    throw error instanceof ExpirationError ? error : new Error(`while setting up external-jwt-signer: ${errorMessage(error)}`)
  }
}

/** Error whose message has no prefix. */
class ExpirationError extends Error {}

/** Throws ExpirationError if the lifetime is too short. */
function checkedExpiration(seconds: number): number {
  if (seconds >= LEAST_EXPIRATION_SECONDS) return seconds
  throw new ExpirationError(
    `max token life supported by external-jwt-signer (${seconds}s) is less than acceptable (min ${LEAST_EXPIRATION_SECONDS}s)`,
  )
}

/** gRPC status of a failed call, as label of metrics. */
function grpcStatusOf(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) if (at instanceof SocketCallError) return at.status
  return 'unknown-non-grpc'
}

/** Validates the header that the signer returned. It must have only the members that this server accepts. */
async function checkHeader(text: string, keys: SignerKeys): Promise<void> {
  const { alg, kid, typ } = parsedHeader(text)
  if (typ !== 'JWT') throw new Error('bad type')
  if (kid === '') throw new Error('key id missing')
  if (Buffer.byteLength(kid) > MOST_KEY_ID) throw new Error('key id longer than 1 kb')
  if (!ALGORITHMS.includes(alg)) throw new Error(`bad signing algorithm ${quote(alg)}`)
  if ((await keys.find(kid)).some(key => key.excludedFromDiscovery))
    throw new Error(`key used for signing JWT (kid: ${kid}) is excluded from OIDC discovery docs`)
}

/**
 * Decodes the header that the signer returned. Throws an Error with upstream's message if it is malformed or has other
 * members.
 */
function parsedHeader(text: string): { readonly alg: string; readonly kid: string; readonly typ: string } {
  if (text.length > MAX_HEADER_LENGTH)
    throw new Error(`while unwrapping header: it has ${text.length} characters, and may have ${MAX_HEADER_LENGTH}`)
  const bad = text.search(/[^A-Za-z0-9_-]/)
  if (bad >= 0 || text.length % 4 === 1)
    throw new Error(`while unwrapping header: illegal base64 data at input byte ${bad >= 0 ? bad : text.length - 1}`)
  const failed = (why: string): Error => new Error(`while parsing header JSON: ${why}`)
  const value = decodeJsonPart(text, failed)
  if (!isJsonObject(value)) throw failed('json: cannot unmarshal into Go value of type struct')
  const header = { alg: '', kid: '', typ: '' }
  for (const [name, member] of Object.entries(value)) {
    if (name !== 'alg' && name !== 'kid' && name !== 'typ') throw failed(`json: unknown field ${quote(name)}`)
    if (typeof member !== 'string') throw failed(`json: cannot unmarshal into Go struct field .${name} of type string`)
    header[name] = member
  }
  return header
}

/** Decodes base64url JSON. */
function decodeJsonPart(text: string, failed: (why: string) => Error): Json {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch (error) {
    throw failed(errorMessage(error))
  }
}
