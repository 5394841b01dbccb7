export interface TlsMaterial {
  /** PEM, chain included. */
  readonly cert: string
  readonly key: string
  /** PEM of the CAs whose client certificates are believed, each with its root: TLS servers of Node do not take `allowPartialTrustChain`. */
  readonly clientCa: string
}
