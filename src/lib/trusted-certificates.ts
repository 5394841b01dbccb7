/** Options of `node:tls` and the modules built on it that define the trusted certificates. */
export interface TrustedCertificates {
  readonly ca: string | Buffer
  readonly allowPartialTrustChain: true
}

/**
 * Trusts each certificate (PEM) by itself, like Go's `x509.CertPool`: an intermediate authority needs no root, and a
 * server's own certificate is enough to trust that server, as in the `caBundle` that envtest writes. By default,
 * OpenSSL requires a chain up to a self-signed certificate.
 */
export const trustedCertificates = (pem: string | Buffer): TrustedCertificates => ({ ca: pem, allowPartialTrustChain: true })
