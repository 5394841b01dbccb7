/** Certificates, keys and trusted CAs of a server, as PEM. */
export interface TlsMaterial {
  /** PEM, chain included. */
  readonly cert: string
  readonly key: string
  /**
   * PEM of the CAs that are trusted for client certificates, each with its root: Node's TLS servers do not support
   * `allowPartialTrustChain`.
   */
  readonly clientCa: string
  /**
   * PEM of the CAs of front proxies, which authenticate no users. Omitted if authentication by front proxies is off.
   */
  readonly frontProxyCa?: string
  /** Certificates for server names (SNI), used instead of `cert`. For a name that several have, the first applies. */
  readonly named?: readonly NamedCertificate[]
}

/** A certificate for some server names. */
export interface NamedCertificate {
  /** PEM, chain included. */
  readonly cert: string
  readonly key: string
  /** Host names, whose first label may be `*`, and IP addresses. If empty, the names in the certificate apply. */
  readonly names: readonly string[]
}
