import type { VerificationKey } from './keys.ts'

/** What others need to verify tokens of service accounts: two documents, ready to be sent (https://openid.net/specs/openid-connect-discovery-1_0.html, RFC 7517). */
export interface IssuerDocuments {
  readonly configuration: Buffer
  readonly keySet: Buffer
  /** For how long others may keep them. */
  readonly maxAgeSeconds: number
}

/** OpenID Connect Discovery 1.0: others verify tokens by these two documents. */
export const CONFIGURATION_PATH = '/.well-known/openid-configuration'
/** Where the document of discovery says that the keys are, unless `--service-account-jwks-uri` says otherwise. */
export const KEY_SET_PATH = '/openid/v1/jwks'
/** Of keys in files. */
const MAX_AGE_SECONDS = 3600

/** Undefined for an issuer that the specification does not allow: it must be an https URL without query and fragment. */
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
  return { configuration: Buffer.from(JSON.stringify(configuration)), keySet: Buffer.from(JSON.stringify({ keys: keys.map(webKey) })), maxAgeSeconds }
}

/** RFC 7517. */
function webKey({ id, algorithm, publicKey }: VerificationKey): object {
  const { kty, ...parts } = publicKey.export({ format: 'jwk' })
  const common = { use: 'sig', kty, kid: id }
  const { crv, n, e, x, y } = parts
  return kty === 'RSA' ? { ...common, alg: algorithm, n, e } : { ...common, crv, alg: algorithm, x, y }
}
