import { CompactSign } from 'jose'
import type { ServiceAccountClaims } from './claims.ts'
import type { SigningKey } from './keys.ts'
import type { LegacyClaims } from './legacy.ts'

/** Makes tokens of service accounts, and says what they may be. */
export interface TokenIssuer {
  /** Claim `iss`. */
  readonly name: string
  /** Of this server: what a token is for that names nobody else. */
  readonly serverAudiences: readonly string[]
  /** 0: as long as asked for. */
  readonly maxExpirationSeconds: number
  /** Tokens of pods, as kubelets ask for them, are good for a year, and state when they should have been renewed. */
  readonly extendExpiration: boolean
  /** How long those are good at most. */
  readonly maxExtendedSeconds: number
  sign(claims: ServiceAccountClaims | LegacyClaims): Promise<string>
}

/** A signed JWT in compact form (RFC 7515); the header names the key. */
export async function signClaims({ id, algorithm, privateKey }: SigningKey, claims: ServiceAccountClaims | LegacyClaims): Promise<string> {
  return new CompactSign(new TextEncoder().encode(JSON.stringify(claims))).setProtectedHeader({ alg: algorithm, kid: id }).sign(privateKey)
}
