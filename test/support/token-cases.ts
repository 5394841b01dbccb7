import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GivenJwt } from '../../src/auth/authn/jwt/configuration.ts'
import type { User } from '../../src/meta/context.ts'

interface NamedKey {
  readonly key: string
  readonly algorithm: string
}

/** Expected result of a token. */
export interface TokenExpectation {
  readonly user?: Partial<User>
  readonly error?: string
  readonly initError?: string
  readonly skip?: true
}

/**
 * A configuration, a token, and what kube-apiserver's own tests expect of them at 23:00 on 10 November 2009. `{{.URL}}`
 * stands for the issuer's address.
 */
export interface TokenCase {
  readonly jwt: GivenJwt
  readonly signingKey?: NamedKey
  readonly keys?: readonly NamedKey[]
  readonly claims?: string
  /** Claims of tokens that are found elsewhere. */
  readonly responses?: Readonly<Record<string, string>>
  readonly openIDConfig?: string
  readonly algorithms?: readonly string[]
  readonly disallowed?: readonly string[]
  /** The keys are fetched as the discovery document says. */
  readonly remote?: true
  /** The issuer is out of reach. */
  readonly health?: string
  readonly wanted?: TokenExpectation
  /** Where 1.34 does otherwise, or alone. */
  readonly wantedSince134?: TokenExpectation
}

export const TOKEN_NOW = Date.parse('2009-11-10T23:00:00Z')

/** `url`: of the issuer. */
export function tokenCases(url: string): readonly TokenCase[] {
  const text = readFileSync(join(import.meta.dirname, '../fixtures/authentication/tokens.json'), 'utf8')
  return JSON.parse(text.replaceAll('{{.URL}}', url).replaceAll('{{.Expired}}', '2009-11-10 22:00:00 +0000 UTC'))
}
