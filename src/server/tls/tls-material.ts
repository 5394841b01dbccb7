export interface TlsMaterial {
  /** PEM, chain included. */
  readonly cert: string
  readonly key: string
  /** PEM of the CAs whose client certificates are believed, each with its root: TLS servers of Node do not take `allowPartialTrustChain`. */
  readonly clientCa: string
  /** PEM of the CAs of front proxies, which are no users. Absent where nobody says for whom requests are. */
  readonly frontProxyCa?: string
  /** Shown in place of `cert` to clients that ask for one of their names. The first that has a name counts. */
  readonly named?: readonly NamedCertificate[]
}

/** A certificate for some names. */
export interface NamedCertificate {
  /** PEM, chain included. */
  readonly cert: string
  readonly key: string
  /** Host names, whose first label may be `*`, and IP addresses. Empty: those of the certificate. */
  readonly names: readonly string[]
}
