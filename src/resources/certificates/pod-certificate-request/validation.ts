import type { PodCertificateRequest, PodCertificateRequestSpec } from '../../../api/certificates/v1beta1.types.ts'
import type { Steps } from '../../../lib/steps.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { validateMetaConditions } from '../../../meta/condition-validation.ts'
import { deepEqual, deepEqualBySize } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { immutableError, invalid, invalidStructure, notSupported, required, tooLongError } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { longerThan, nameIsDnsSubdomain } from '../../../meta/names.ts'
import { goValue } from '../../shared/go-values.ts'
import { longestExpiration, SHORTEST_EXPIRATION, validateUserAnnotations } from '../pod-certificate.ts'
import { validateSignerName } from '../signer-name.ts'
import { validateIssued } from './issued.ts'
import { validateKeyAndProof, validateStubRequest } from './public-key.ts'

const ISSUED = 'Issued'
const DENIED = 'Denied'
const FAILED = 'Failed'
/** Conditions that complete a request. It has at most one of them. */
const OUTCOMES = [ISSUED, DENIED, FAILED]
const LONGEST_UID = 128

const SPEC_PATH = fieldPath('spec')
const STATUS_PATH = fieldPath('status')

const badName = (spec: PodCertificateRequestSpec, member: 'podName' | 'serviceAccountName' | 'nodeName'): FieldError[] =>
  nameIsDnsSubdomain(spec[member], false).map(text => invalid(SPEC_PATH.child(member), spec[member], text))

const badUid = (spec: PodCertificateRequestSpec, member: 'podUID' | 'serviceAccountUID' | 'nodeUID'): FieldError[] => [
  ...(spec[member] === '' ? [invalid(SPEC_PATH.child(member), '', 'must not be empty')] : []),
  ...(longerThan(spec[member], LONGEST_UID) ? [tooLongError(SPEC_PATH.child(member), LONGEST_UID)] : []),
]

/**
 * Validates the requested key. Before 1.36 a request has a key and a proof; since then it may have a PKCS#10 request
 * instead.
 */
function validateRequestedKey(spec: PodCertificateRequestSpec, release: Release): FieldError[] {
  const { stubPKCS10Request, pkixPublicKey, proofOfPossession } = spec
  if (!isSince(release, '1.36')) return validateKeyAndProof(spec)
  if (stubPKCS10Request && !pkixPublicKey && !proofOfPossession) return validateStubRequest(spec)
  if (!stubPKCS10Request && pkixPublicKey && proofOfPossession) return validateKeyAndProof(spec)
  return [invalidStructure(SPEC_PATH, 'exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set')]
}

function validateNew({ spec }: PodCertificateRequest, release: Release): FieldError[] {
  const { signerName, maxExpirationSeconds: seconds, unverifiedUserAnnotations: annotations } = spec
  const errors = [
    ...validateSignerName(signerName, SPEC_PATH.child('signerName')),
    ...(annotations ? validateUserAnnotations(annotations, SPEC_PATH.child('unverifiedUserAnnotations')) : []),
    ...badName(spec, 'podName'),
    ...badUid(spec, 'podUID'),
    ...badName(spec, 'serviceAccountName'),
    ...badUid(spec, 'serviceAccountUID'),
    ...badName(spec, 'nodeName'),
    ...badUid(spec, 'nodeUID'),
  ]
  const at = SPEC_PATH.child('maxExpirationSeconds')
  if (seconds === undefined) return [...errors, required(at, 'must be set')]
  const most = longestExpiration(signerName)
  if (seconds < SHORTEST_EXPIRATION || seconds > most)
    errors.push(invalid(at, seconds, `must be in the range [${SHORTEST_EXPIRATION}, ${most}]`))
  return [...errors, ...validateRequestedKey(spec, release)]
}

/**
 * Validates a request, which is for one pod with its service account and node, and immutable. Source:
 * pkg/apis/certificates/validation in k8s.io/kubernetes.
 */
export function* validatePodCertificateRequest(
  next: PodCertificateRequest,
  old: PodCertificateRequest | undefined,
  release: Release,
): Steps<FieldError[]> {
  if (!old) return validateNew(next, release)
  if (yield* deepEqualBySize(next.spec, old.spec)) return []
  return [immutableError(SPEC_PATH, goValue('certificatesv1beta1.PodCertificateRequestSpec', next.spec, release))]
}

function validateOutcomes({ status }: PodCertificateRequest): FieldError[] {
  let count = 0
  return (status.conditions ?? []).flatMap(({ type, status: value }, i) => {
    const at = STATUS_PATH.child('conditions', `[${i}]`)
    if (!OUTCOMES.includes(type)) return [notSupported(at.child('type'), type, OUTCOMES)]
    count++
    return [
      ...(count > 1
        ? [invalid(at.child('type'), type, 'There may be at most one condition with type "Issued", "Denied", or "Failed"')]
        : []),
      ...(value === 'True' ? [] : [notSupported(at.child('status'), value, ['True'])]),
    ]
  })
}

const completedOutcome = ({ status }: PodCertificateRequest): string | undefined =>
  status.conditions?.find(({ type, status: value }) => OUTCOMES.includes(type) && value === 'True')?.type

/**
 * Validates the status. The signer writes it once, with or without a certificate chain. `ctx.now` is in milliseconds.
 */
export function validatePodCertificateStatus(
  next: PodCertificateRequest,
  old: PodCertificateRequest | undefined,
  ctx: { readonly now: number; readonly release: Release },
): FieldError[] {
  const errors = [...validateOutcomes(next), ...validateMetaConditions(next.status.conditions, STATUS_PATH.child('conditions'))]
  if (errors.length > 0 || !old) return errors
  const unchanged = (detail: string): FieldError[] => (deepEqual(next.status, old.status) ? [] : [invalidStructure(STATUS_PATH, detail)])
  if (completedOutcome(old) !== undefined) return unchanged('immutable after PodCertificateRequest is issued, denied, or failed')
  const outcome = completedOutcome(next)
  if (outcome === ISSUED) return validateIssued({ ...next, spec: old.spec }, ctx)
  if (outcome === undefined) return unchanged('status is immutable unless transitioning to "Issued", "Denied", or "Failed"')
  const { conditions: _, ...others } = next.status
  const isBare = Object.values(others).every(value => value === undefined || value === null || value === '')
  return isBare
    ? []
    : [invalidStructure(STATUS_PATH, 'non-condition status fields must be empty when denying or failing the PodCertificateRequest')]
}
