import { errorMessage } from '../../../lib/error-message.ts'
import { quote } from '../../../lib/go-quote.ts'
import { onAbort } from '../../../lib/on-abort.ts'
import { excerptOf, type Fetched, type IssuerClient, readResponseJson } from './issuer-client.ts'
import { type KeySet, type KeysObserver, RemoteKeySet } from './key-set.ts'

/** Dependencies of discovery. */
export interface DiscoveryOptions {
  /** Client for requests to the issuer. */
  readonly client: IssuerClient
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Optional. Called after each fetch of keys. */
  readonly observeKeys?: KeysObserver
}

/** Interval between attempts to reach an issuer, in milliseconds. */
const RETRY_MS = 10_000

/**
 * Discovers the keys of an issuer (OpenID Connect Discovery 1.0). @param discoveryURL empty for the standard location.
 * Throws an Error with go-oidc's message.
 */
export async function discoverKeys(issuer: string, discoveryURL: string, { client, now, observeKeys }: DiscoveryOptions): Promise<KeySet> {
  const wellKnown = `${issuer.endsWith('/') ? issuer.slice(0, -1) : issuer}/.well-known/openid-configuration`
  const answer = await client.get(discoveryURL === '' ? wellKnown : discoveryURL)
  if (answer.code !== 200) throw new Error(`${answer.status}: ${excerptOf(answer.body)}`)
  const { issuer: named = '', jwks_uri: url = '' } = await documentIn(answer)
  if (named !== issuer)
    throw new Error(`oidc: issuer did not match the issuer returned by provider, expected ${quote(issuer)} got ${quote(named)}`)
  return new RemoteKeySet(url, client, now, observeKeys)
}

/** Discovery document of an issuer. */
interface ProviderDocument {
  /** Must equal the configured URL. */
  readonly issuer?: string
  /** URL of the keys. */
  readonly jwks_uri?: string
}

/** Parses the discovery document. Throws an Error with go-oidc's message. */
async function documentIn(answer: Fetched): Promise<ProviderDocument> {
  try {
    const document = await readResponseJson(answer)
    if (!isDocument(document)) throw new Error('json: cannot unmarshal into Go value of type oidc.providerJSON')
    return document
  } catch (error) {
    throw new Error(`oidc: failed to decode provider discovery object: ${errorMessage(error)}`)
  }
}

/** Whether the members that are read are strings. */
function isDocument(value: unknown): value is ProviderDocument {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return ['issuer', 'jwks_uri'].every(name => {
    const member: unknown = Reflect.get(value, name)
    return member === undefined || typeof member === 'string'
  })
}

/**
 * Retries every ten seconds until the attempt succeeds or the signal aborts. The first attempt is immediate. @param
 * failed called after each failure.
 */
export function untilDone(attempt: () => Promise<void>, failed: (error: unknown) => void, signal: AbortSignal): void {
  let timer: NodeJS.Timeout | undefined
  const next = (): void => {
    if (signal.aborted) return
    void attempt().catch((error: unknown) => {
      if (signal.aborted) return
      failed(error)
      timer = setTimeout(next, RETRY_MS)
      timer.unref()
    })
  }
  onAbort(signal, () => clearTimeout(timer))
  next()
}
