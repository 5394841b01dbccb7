/** Supported signature algorithms of issuers (RFC 7518), sorted by name. */
export const SIGNING_ALGORITHMS: readonly string[] = ['ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512']
