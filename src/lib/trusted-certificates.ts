/** What TLS believes, for `node:tls` and what is built on it. */
export interface TrustedCertificates {
  readonly ca: string | Buffer
  readonly allowPartialTrustChain: true
}

/**
 * Certificates (PEM) to believe, as Go's `x509.CertPool` does: each is trusted by itself. So an intermediate authority needs no root beside it, and a server's own certificate is enough to
 * trust that server, as in the `caBundle` that envtest writes. OpenSSL alone wants a chain up to a certificate that is its own issuer.
 */
export const trustedCertificates = (pem: string | Buffer): TrustedCertificates => ({ ca: pem, allowPartialTrustChain: true })
