import { X509Certificate } from 'node:crypto'
import { type FieldError, invalid, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'

const BLOCK = /-----BEGIN ([^-]*)-----[A-Za-z0-9+/=\s]*-----END \1-----/g

/** Certificates in PEM, of which one at least can be read. `bundle`: base64. */
export function validateCaBundle(bundle: string, path: FieldPath): FieldError[] {
  const bytes = Buffer.from(bundle, 'base64')
  const blocks = [...bytes.toString('latin1').matchAll(BLOCK)]
  const certificates = blocks.filter(([, type]) => type === 'CERTIFICATE')
  if (certificates.some(([block]) => isCertificate(block))) return []
  const text =
    blocks.length === 0
      ? 'unable to parse bytes as PEM block'
      : certificates.length === 0
        ? 'no valid certificate authority data seen'
        : 'failed to parse certificate'
  const printed = `[]byte{${[...bytes].map(byte => `0x${byte.toString(16)}`).join(', ')}}`
  return [invalid(path, verbatim(printed), `unable to load root certificates: ${text}`)]
}

function isCertificate(block: string): boolean {
  try {
    new X509Certificate(block)
    return true
  } catch {
    return false
  }
}
