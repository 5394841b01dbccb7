import type { CustomResourceDefinition } from '../../../api/apiextensions/v1.types.ts'
import type { ObjectMeta } from '../../../api/meta/object.ts'
import { quote } from '../../../lib/go-quote.ts'
import { type FieldError, invalid, required } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { GoUrlError, parseGoUrl } from '../../../meta/go-url.ts'

const ANNOTATION = 'api-approved.kubernetes.io'
const PULL = 'see https://github.com/kubernetes/enhancements/pull/1111'

type Approval = 'missing' | 'bypassed' | 'approved' | 'invalid'

const isProtected = (group: string): boolean => ['k8s.io', 'kubernetes.io'].some(domain => group === domain || group.endsWith(`.${domain}`))

/**
 * Classifies the approval annotation: a URL with a scheme and a host, or a text that begins with `unapproved` for an
 * API that bypassed the review.
 */
function approvalOf({ annotations }: ObjectMeta): Approval {
  const text = annotations?.[ANNOTATION] ?? ''
  if (text === '') return 'missing'
  if (text.startsWith('unapproved')) return 'bypassed'
  try {
    const { scheme, host } = parseGoUrl(text)
    return scheme !== '' && host !== '' ? 'approved' : 'invalid'
  } catch (error) {
    if (error instanceof GoUrlError) return 'invalid'
    throw error
  }
}

const WANTED = `protected groups must have approval annotation ${quote(ANNOTATION)}`
const MISSING = `${WANTED}, ${PULL}`
const INVALID = `${WANTED} with either a URL or a reason starting with "unapproved", ${PULL}`

/**
 * Returns reason and message of the approval condition for a group of the Kubernetes project, or undefined for other
 * groups.
 */
export function approvalState(group: string, metadata: ObjectMeta): { readonly reason: string; readonly message: string } | undefined {
  if (!isProtected(group)) return undefined
  const text = metadata.annotations?.[ANNOTATION] ?? ''
  switch (approvalOf(metadata)) {
    case 'missing':
      return { reason: 'MissingAnnotation', message: MISSING }
    case 'bypassed':
      return { reason: 'UnapprovedAnnotation', message: `not approved: ${quote(text)}` }
    case 'approved':
      return { reason: APPROVED, message: `approved in ${text}` }
    case 'invalid':
      return { reason: 'InvalidAnnotation', message: INVALID }
  }
}

/** Reason of the condition KubernetesAPIApprovalPolicyConformant for an approved API. */
export const APPROVED = 'ApprovedAnnotation'

/**
 * Requires the approval annotation for groups of the Kubernetes project. An update may keep an invalid annotation if
 * its classification does not change.
 */
export function validateApproval(next: CustomResourceDefinition, old: CustomResourceDefinition | undefined): FieldError[] {
  if (!isProtected(next.spec.group)) return []
  const approval = approvalOf(next.metadata)
  if (old && approvalOf(old.metadata) === approval) return []
  const path = fieldPath('metadata', 'annotations').key(ANNOTATION)
  if (approval === 'missing') return [required(path, MISSING)]
  if (approval !== 'invalid') return []
  return [invalid(path, next.metadata.annotations?.[ANNOTATION], INVALID)]
}
