import { CompactSign } from 'jose'
import { computeElsewhere } from '../../../lib/other-threads.ts'
import type { ServiceAccountClaims } from './claims.ts'
import type { SigningKey } from './keys.ts'
import type { LegacyClaims } from './legacy.ts'

/** Issues service account tokens. */
export interface TokenIssuer {
  /** Claim `iss`. */
  readonly name: string
  /** Audiences of this server. Default of tokens that are requested without audiences. */
  readonly serverAudiences: readonly string[]
  /** Maximum requested lifetime. 0: unlimited. */
  readonly maxExpirationSeconds: number
  /**
   * Whether pod tokens that kubelets request are valid for longer, with a claim that states when they should be
   * renewed.
   */
  readonly extendExpiration: boolean
  /** Maximum extended lifetime of those tokens, in seconds. */
  readonly maxExtendedSeconds: number
  sign(claims: ServiceAccountClaims | LegacyClaims): Promise<string>
}

/** Signs claims as a JWT in compact form (RFC 7515). The header names the key. */
export async function signClaims({ id, algorithm, privateKey }: SigningKey, claims: ServiceAccountClaims | LegacyClaims): Promise<string> {
  return new CompactSign(new TextEncoder().encode(JSON.stringify(claims))).setProtectedHeader({ alg: algorithm, kid: id }).sign(privateKey)
}

/** Returns the `sign` of an issuer. Other threads compute the signature, and the key if the first call creates it. */
export const signWith =
  (key: () => Promise<SigningKey>): TokenIssuer['sign'] =>
  claims =>
    computeElsewhere(async () => signClaims(await key(), claims))
