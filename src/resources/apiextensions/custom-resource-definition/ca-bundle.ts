import { X509Certificate } from 'node:crypto'
import { pemBlocks } from '../../../lib/pem-blocks.ts'
import type { Steps } from '../../../lib/steps.ts'
import { type FieldError, invalid, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'

/** Matches the body of a PEM block without headers. */
const BODY = /^[A-Za-z0-9+/=\s]*$/

/** Bytes that a step prints. */
const PRINTED_BYTES = 8192

/**
 * Checks that a bundle, given in base64, contains at least one readable certificate in PEM. Other blocks are ignored.
 * The error prints the bytes as Go's %#v does, since 1.34 as base64. In steps: a bundle may have more than a thousand
 * certificates, none of which can be read.
 */
export function* validateCaBundle(bundle: string, path: FieldPath): Steps<FieldError[]> {
  const bytes = Buffer.from(bundle, 'base64')
  const fault = yield* bundleFault(bytes)
  if (fault === undefined) return []
  const printed = `[]byte{${yield* printBytes(bytes)}}`
  return [
    invalid(
      path,
      verbatim(printed, () => JSON.stringify(bundle)),
      `unable to load root certificates: ${fault}`,
    ),
  ]
}

function* bundleFault(bundle: Buffer): Steps<string | undefined> {
  let hasBlocks = false
  const tried = new Set<string>()
  for (const { label, text, body } of pemBlocks(bundle.toString('latin1'))) {
    if (!BODY.test(body)) continue
    hasBlocks = true
    if (label !== 'CERTIFICATE' || tried.has(text)) continue
    if (isCertificate(text)) return undefined
    tried.add(text)
    yield
  }
  if (!hasBlocks) return 'unable to parse bytes as PEM block'
  return tried.size === 0 ? 'no valid certificate authority data seen' : 'failed to parse certificate'
}

function* printBytes(bytes: Buffer): Steps<string> {
  const parts: string[] = []
  for (let i = 0; i < bytes.length; i += PRINTED_BYTES) {
    parts.push(Array.from(bytes.subarray(i, i + PRINTED_BYTES), byte => `0x${byte.toString(16)}`).join(', '))
    yield
  }
  return parts.join(', ')
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
export function* isInvalidCaBundle(bundle: string | undefined): Steps<boolean> {
  return bundle !== undefined && bundle !== '' && (yield* bundleFault(Buffer.from(bundle, 'base64'))) !== undefined
}
