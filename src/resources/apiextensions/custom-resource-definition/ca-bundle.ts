import { X509Certificate } from 'node:crypto'
import { pemBlocks } from '../../../lib/pem-blocks.ts'
import { type FieldError, invalid, verbatim } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'

/** Matches the body of a PEM block without headers. */
const BODY = /^[A-Za-z0-9+/=\s]*$/

/**
 * Checks that a bundle, given in base64, contains at least one readable certificate in PEM. Other blocks are ignored.
 * The error prints the bytes as Go's %#v does, since 1.34 as base64.
 */
export function validateCaBundle(bundle: string, path: FieldPath): FieldError[] {
  const bytes = Buffer.from(bundle, 'base64')
  const blocks = [...pemBlocks(bytes.toString('latin1'))].filter(({ body }) => BODY.test(body))
  const certificates = blocks.filter(({ label }) => label === 'CERTIFICATE')
  if (certificates.some(({ text }) => isCertificate(text))) return []
  const text =
    blocks.length === 0
      ? 'unable to parse bytes as PEM block'
      : certificates.length === 0
        ? 'no valid certificate authority data seen'
        : 'failed to parse certificate'
  const printed = `[]byte{${[...bytes].map(byte => `0x${byte.toString(16)}`).join(', ')}}`
  return [
    invalid(
      path,
      verbatim(printed, () => JSON.stringify(bundle)),
      `unable to load root certificates: ${text}`,
    ),
  ]
}

function isCertificate(block: string): boolean {
  try {
    new X509Certificate(block)
    return true
  } catch {
    return false
  }
}

/** Reports whether a bundle, given in base64, contains no readable certificate. No bundle is valid. */
export const isInvalidCaBundle = (bundle: string | undefined): boolean =>
  bundle !== undefined && bundle !== '' && validateCaBundle(bundle, fieldPath()).length > 0
