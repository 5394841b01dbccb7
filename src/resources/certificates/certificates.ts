import { X509Certificate } from 'node:crypto'

/** Parses a certificate. Returns undefined if that fails. */
export function parseCertificate(der: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(der)
  } catch {
    return undefined
  }
}
