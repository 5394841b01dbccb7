import type { VerificationKey } from './keys.ts'

/**
 * OpenID Connect discovery documents with which others verify service account tokens, ready to be sent
 * (https://openid.net/specs/openid-connect-discovery-1_0.html, RFC 7517).
 */
export interface IssuerDocuments {
  readonly configuration: Buffer
  readonly keySet: Buffer
  /** Max-Age of the Cache-Control header. */
  readonly maxAgeSeconds: number
}

/** Path of the OpenID Connect Discovery 1.0 document. */
export const CONFIGURATION_PATH = '/.well-known/openid-configuration'
/** Path of the key set, to which the discovery document refers unless `--service-account-jwks-uri` is set. */
export const KEY_SET_PATH = '/openid/v1/jwks'
/** Cache lifetime of keys that are read from files. */
const MAX_AGE_SECONDS = 3600

/**
 * Returns the documents. Undefined if the specification does not allow the issuer: it must be an https URL without
 * query and fragment.
 */
export function issuerDocuments(
  issuer: string,
  keySetUrl: string,
  all: readonly VerificationKey[],
  maxAgeSeconds = MAX_AGE_SECONDS,
): IssuerDocuments | undefined {
  if (!/^https:\/\/[^?#]+$/.test(issuer)) return undefined
  const keys = all.filter(({ excludedFromDiscovery }) => !excludedFromDiscovery)
  const configuration = {
    issuer,
    jwks_uri: keySetUrl,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(keys.map(({ algorithm }) => algorithm))].sort(),
  }
  return {
    configuration: Buffer.from(JSON.stringify(configuration)),
    keySet: Buffer.from(JSON.stringify({ keys: keys.map(webKey) })),
    maxAgeSeconds,
  }
}

/** JSON Web Key (RFC 7517). */
function webKey({ id, algorithm, publicKey }: VerificationKey): object {
  const { kty, ...parts } = publicKey.export({ format: 'jwk' })
  const common = { use: 'sig', kty, kid: id }
  const { crv, n, e, x, y } = parts
  return kty === 'RSA' ? { ...common, alg: algorithm, n, e } : { ...common, crv, alg: algorithm, x, y }
}
