import { untrustedClaims } from '../compact-token.ts'

const GOOGLE = 'https://accounts.google.com'

/** Unverified claim `iss`. Undefined if the token is malformed. Google once omitted the scheme. */
export function untrustedIssuer(token: string): string | undefined {
  const claims = untrustedClaims(token)
  if (claims === undefined) return undefined
  const { iss = '' } = claims
  if (typeof iss !== 'string') return undefined
  return isGoogle(iss) ? GOOGLE : iss
}

const isGoogle = (issuer: string): boolean => `https://${issuer}` === GOOGLE

/** Whether the claim `iss` matches the issuer. */
export const isIssuer = (named: string, issuer: string): boolean => named === issuer || (issuer === GOOGLE && isGoogle(named))
