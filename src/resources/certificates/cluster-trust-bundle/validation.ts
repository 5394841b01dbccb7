import type { ClusterTrustBundle } from '../../../api/certificates/v1beta1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { type PemBlock, pemBlocksOf } from '../../../lib/decode-pem.ts'
import { isLongStepDone, type Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, tooLongError } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { longerThan, nameIsDnsSubdomain } from '../../../meta/names.ts'
import { validateImmutableField } from '../../../meta/object-meta-validation.ts'
import { parseCertificate } from '../certificates.ts'
import { validateSignerName } from '../signer-name.ts'

const LONGEST_BYTES = 1024 * 1024
const OMITTED = '<value omitted>'

/** Checks that the bundle of a signer is named after it: `example.com:name:anything`. */
function nameFaults(name: string, isPrefix: boolean, signer: string): string[] {
  if (signer === '') {
    return name.includes(':')
      ? ['ClusterTrustBundle without signer name must not have ":" in its name']
      : nameIsDnsSubdomain(name, isPrefix)
  }
  const prefix = `${signer.replaceAll('/', ':')}:`
  if (!name.startsWith(prefix)) return [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${prefix}`]
  return nameIsDnsSubdomain(name.slice(prefix.length), isPrefix)
}

/** Validates name and generateName, which needs the same prefix and may end like the prefix of a name. */
function validateBundleNames({ metadata }: ClusterTrustBundle, signer: string): FieldError[] {
  const { generateName = '', name = '' } = metadata
  const path = fieldPath('metadata')
  return [
    ...(generateName === ''
      ? []
      : nameFaults(generateName, true, signer).map(text => invalid(path.child('generateName'), generateName, text))),
    ...(name === '' ? [] : nameFaults(name, false, signer).map(text => invalid(path.child('name'), name, text))),
  ]
}

/** Returns the first fault of an entry, which must be the certificate of an authority. */
function blockFault({ type, hasHeaders, bytes }: PemBlock): string | undefined {
  if (type !== 'CERTIFICATE') return `has bad block type: ${type}`
  if (hasHeaders) return 'has PEM block headers'
  const certificate = parseCertificate(bytes)
  if (!certificate) return 'does not parse as X.509'
  return certificate.ca ? undefined : 'does not have the CA bit set'
}

/**
 * Validates the bundle in this order: size (since 1.29), entries, number of entries, duplicates. Errors never show the
 * bundle. In steps: a bundle can have thousands of certificates.
 */
function* validateBundle(bundle: string, path: FieldPath, { release }: Features): Steps<FieldError[]> {
  if (isSince(release, '1.29') && longerThan(bundle, LONGEST_BYTES)) return [tooLongError(path, LONGEST_BYTES)]
  const faults: FieldError[] = []
  const places = new Map<string, number[]>()
  let count = 0
  for (const block of pemBlocksOf(bundle)) {
    const fault = blockFault(block)
    if (fault !== undefined) faults.push(invalid(path, OMITTED, `entry ${count} ${fault}`))
    const key = block.bytes.toString('latin1')
    const indices = places.get(key)
    if (indices) indices.push(count)
    else places.set(key, [count])
    count++
    if (isLongStepDone()) yield
  }
  if (faults.length > 0) return faults
  if (count === 0) return [invalid(path, OMITTED, 'at least one trust anchor must be provided')]
  return [...places.values()]
    .filter(indices => indices.length > 1)
    .map(indices => invalid(path, OMITTED, `duplicate trust anchor (indices [${indices.join(' ')}])`))
}

/**
 * Validates a bundle. Its name begins with that of the signer; certificates are unique and have no headers. Source:
 * pkg/apis/certificates/validation in k8s.io/kubernetes.
 */
export function* validateClusterTrustBundle(
  next: ClusterTrustBundle,
  old: ClusterTrustBundle | undefined,
  { features }: Pick<HookContext, 'features'>,
): Steps<FieldError[]> {
  const { signerName = '', trustBundle } = next.spec
  const path = fieldPath('spec')
  const signer = path.child('signerName')
  return [
    ...validateBundleNames(next, signerName),
    ...(signerName === '' ? [] : validateSignerName(signerName, signer)),
    ...(old && trustBundle === old.spec.trustBundle ? [] : yield* validateBundle(trustBundle, path.child('trustBundle'), features)),
    ...(old ? validateImmutableField(signerName, old.spec.signerName ?? '', signer) : []),
  ]
}
