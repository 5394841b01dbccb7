import { X509Certificate } from 'node:crypto'

/** The certificate, or undefined where the bytes are none. */
export function parseCertificate(der: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(der)
  } catch {
    return undefined
  }
}
