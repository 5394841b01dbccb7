import { annotateEvent } from '../../../admission/audit-annotation.ts'
import type { Namespace, PodTemplateSpec } from '../../../api/core/v1.types.ts'
import type { KubeObject } from '../../../api/meta/object.ts'
import { asKind } from '../../../catalog/define.ts'
import { aggregate } from '../../../lib/aggregate.ts'
import { after, recover } from '../../../lib/awaitable.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { quote } from '../../../lib/go-quote.ts'
import { startInTurns } from '../../../lib/steps.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { type FieldError, fieldErrorText } from '../../../meta/field-error.ts'
import { forbiddenError, internalServerError } from '../../../meta/status.ts'
import { type AdmissionRequest, groupResourceOf } from '../../../registry/types.ts'
import { PODS } from '../../kinds.ts'
import { type CheckedPod, checkedPod, type Violation } from './check.ts'
import { type LevelVersion, levelText } from './level.ts'
import { podSecurityTarget, templateOf } from './parts.ts'
import type { PodSecurityParts } from './pod-security-parts.ts'
import { isPrivileged, MODES, type Mode, type NamespacePolicy, PREFIX, policyOf } from './policy.ts'
import { isSignificantUpdate } from './significant-update.ts'
import { detailsText } from './standards.ts'

/** Modes that apply to objects with a pod template, which are never rejected. */
const REPORTED: readonly Mode[] = ['audit', 'warn']

/** Adds the annotation `pod-security.kubernetes.io/KEY` to the audit event. */
export const annotate = (request: AdmissionRequest, key: string, value: string): void => annotateEvent(request, PREFIX + key, value)

/**
 * Enforces the policy of the namespace on pods; violations by pod templates are only audited and warned of. Returns
 * undefined if the request passes without asynchronous work, as most do. Throws 403, and 500 if the namespace of a pod
 * cannot be read.
 */
export function checkWorkload(parts: PodSecurityParts, request: AdmissionRequest, object: KubeObject): Promise<void> | undefined {
  const { usernames, namespaces } = parts.configuration.exemptions
  if (namespaces.has(request.namespace)) return exempt(parts, request, 'namespace')
  if (usernames.has(request.ctx.user.name)) return exempt(parts, request, 'user')
  const found = recover(parts.getNamespace(request.namespace), error => reportMissing(parts, request, error))
  return after(found, namespace => namespace && checkIn(parts, request, object, namespace))
}

function checkIn(
  parts: PodSecurityParts,
  request: AdmissionRequest,
  object: KubeObject,
  { metadata }: Namespace,
): Promise<void> | undefined {
  const { configuration, features, metrics } = parts
  const isPod = podSecurityTarget(request) === 'pod'
  const { policy, faults } = policyOf(metadata.labels, configuration.defaults, features.release)
  if (faults.length === 0 && isPrivileged(policy, isPod ? MODES : REPORTED)) {
    if (!isPod) return undefined
    metrics.passed(request)
    annotate(request, 'enforce-policy', 'privileged:latest')
    return undefined
  }
  if (isPod && request.old && !isSignificantUpdate(asKind(PODS, object), asKind(PODS, request.old), features.release)) return undefined
  const template = templateOf(request, object)
  if (template === undefined) return undefined
  const { runtimeClassName } = template.spec
  if (runtimeClassName !== undefined && configuration.exemptions.runtimeClasses.has(runtimeClassName))
    return exempt(parts, request, 'runtimeClass')
  if (faults.length > 0) reportFaults(parts, request, faults)
  return judge(parts, request, { policy, template, isPod })
}

function exempt({ metrics }: PodSecurityParts, request: AdmissionRequest, why: string): undefined {
  metrics.exempted(request)
  annotate(request, 'exempt', why)
  return undefined
}

/** Handles a namespace that cannot be read. Throws for a pod, since its policy is unknown. */
function reportMissing({ metrics, features }: PodSecurityParts, request: AdmissionRequest, error: unknown): undefined {
  metrics.failed(true, request)
  const failure = `failed to lookup namespace ${isSince(features.release, '1.25') ? quote(request.namespace) : request.namespace}`
  const refusal = internalServerError(failure)
  const isPod = podSecurityTarget(request) === 'pod'
  annotate(request, 'error', `${isPod ? refusal.message : failure}: ${errorMessage(error)}`)
  if (isPod) throw refusal
  return undefined
}

function reportFaults({ metrics }: PodSecurityParts, request: AdmissionRequest, faults: readonly FieldError[]): void {
  annotate(request, 'error', `Failed to parse policy: ${aggregate(faults.map(fieldErrorText))}`)
  metrics.failed(false, request)
}

interface Judged {
  readonly policy: NamespacePolicy
  readonly template: Pick<PodTemplateSpec, 'metadata' | 'spec'>
  /** Whether the object is a pod. The enforced level applies only to pods. */
  readonly isPod: boolean
}

/** Evaluates the levels of all modes. A client whose pod is rejected gets no warning. */
async function judge(parts: PodSecurityParts, request: AdmissionRequest, { policy, template, isPod }: Judged): Promise<void> {
  const { metrics } = parts
  const violations = evaluator(parts, request, checkedPod(template.metadata, template.spec))
  const textOf = async (mode: Mode, verb: string): Promise<string | undefined> => {
    const found = await violations(policy[mode])
    if (found.length > 0) metrics.evaluated('deny', policy[mode], mode, request)
    return found.length === 0 ? undefined : `${verb} PodSecurity ${quote(levelText(policy[mode]))}: ${detailsText(found)}`
  }
  const refusal = isPod ? await textOf('enforce', 'violates') : undefined
  if (isPod) {
    annotate(request, 'enforce-policy', levelText(policy.enforce))
    if (refusal === undefined) metrics.evaluated('allow', policy.enforce, 'enforce', request)
  }
  const audited = await textOf('audit', 'would violate')
  if (audited !== undefined) annotate(request, 'audit-violations', audited)
  if (refusal !== undefined)
    throw forbiddenError(groupResourceOf(request.served), request.name || (request.object?.metadata.name ?? ''), refusal)
  const warning = await textOf('warn', 'would violate')
  if (warning !== undefined) request.ctx.warn(warning)
}

/** Returns a function that evaluates a pod against a level, once for each level. */
function evaluator(
  { standards }: PodSecurityParts,
  { ctx }: AdmissionRequest,
  pod: CheckedPod,
): (level: LevelVersion) => Promise<readonly Violation[]> {
  const known = new Map<string, readonly Violation[]>()
  return async level => {
    const found = known.get(levelText(level)) ?? (await startInTurns(standards.violations(level, pod), ctx.signal))
    known.set(levelText(level), found)
    return found
  }
}
