import { namespaceOf } from '../../../admission/attributes.ts'
import type { Namespace } from '../../../api/core/v1.types.ts'
import type { KubeObject } from '../../../api/meta/object.ts'
import { asKind } from '../../../catalog/define.ts'
import { quote } from '../../../lib/go-quote.ts'
import { runInTurns } from '../../../lib/steps.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { fieldErrorText } from '../../../meta/field-error.ts'
import { invalidError } from '../../../meta/status.ts'
import { type AdmissionRequest, groupKindOf } from '../../../registry/types.ts'
import { NAMESPACES } from '../../kinds.ts'
import { existingPodWarnings } from './existing-pods.ts'
import { compareLevels, isSameLevel, type LevelVersion } from './level.ts'
import type { PodSecurityParts } from './pod-security-parts.ts'
import { askedFor, isEquivalent, isPrivileged, type NamespacePolicy, policyOf, type ReadPolicy } from './policy.ts'
import { annotate } from './workload-check.ts'

/**
 * Time limit for checking existing pods, in milliseconds. They also use at most half of the time that the request has
 * left.
 */
const MOST_MS = 1000

/**
 * Validates the labels of a namespace, unless they are already invalid. A client that raises the level is warned of
 * existing pods that violate it. Throws 422.
 */
export async function checkNamespace(parts: PodSecurityParts, request: AdmissionRequest, object: KubeObject): Promise<void> {
  const namespace = asKind(NAMESPACES, object)
  const old = request.old && policyIn(parts, asKind(NAMESPACES, request.old))
  const { policy, faults } = policyIn(parts, namespace)
  const texts = faults.map(fieldErrorText)
  const areKnown = old !== undefined && texts.join() === old.faults.map(fieldErrorText).join()
  if (texts.length > 0 && !areKnown)
    throw invalidError(groupKindOf(request.served), request.name || (namespace.metadata.name ?? ''), faults)
  if (old !== undefined && !isRaised(policy.enforce, old.policy.enforce)) return
  if (parts.configuration.exemptions.namespaces.has(namespaceOf(request))) warnOfExemption(parts, request, namespace, policy)
  else if (old !== undefined) for (const warning of await warningsOfPods(parts, request, policy.enforce)) request.ctx.warn(warning)
}

const policyIn = ({ configuration, features }: PodSecurityParts, { metadata }: Namespace): ReadPolicy =>
  policyOf(metadata.labels, configuration.defaults, features.release)

/** Reports whether pods may now be rejected that were accepted before. */
function isRaised(level: LevelVersion, old: LevelVersion): boolean {
  if (isSameLevel(level, old) || level.level === 'privileged') return false
  return level.version !== old.version || compareLevels(level.level, old.level) > 0
}

/**
 * Warns that the labels of an exempt namespace have no effect. Release 1.24 only records the exemption in the audit
 * log.
 */
function warnOfExemption(
  { configuration, features: { release } }: PodSecurityParts,
  request: AdmissionRequest,
  { metadata }: Namespace,
  policy: NamespacePolicy,
): void {
  if (!isSince(release, '1.25')) {
    if (request.operation === 'UPDATE') annotate(request, 'exempt', 'namespace')
    return
  }
  if (isPrivileged(policy) || isEquivalent(policy, configuration.defaults)) return
  const asked = askedFor(policy, metadata.labels, release)
  request.ctx.warn(`namespace ${quote(metadata.name ?? '')} is exempt from Pod Security, and the policy (${asked}) will be ignored`)
}

/**
 * Takes at most MOST_MS, and half of the time that the request has left. Pods that cannot be listed are a warning, not
 * an error.
 */
async function warningsOfPods(parts: PodSecurityParts, request: AdmissionRequest, level: LevelVersion): Promise<string[]> {
  const { standards, clock, configuration } = parts
  const { signal, deadline = 0 } = request.ctx
  const begun = clock.now()
  const namespace = request.object?.metadata.name ?? ''
  const pods = await parts.listPods(namespace, signal).catch(() => undefined)
  if (pods === undefined) return ['failed to list pods while checking new PodSecurity enforce level']
  const steps = existingPodWarnings({
    namespace,
    pods,
    level,
    standards,
    isExempt: name => name !== undefined && configuration.exemptions.runtimeClasses.has(name),
    deadline: begun + (deadline === 0 ? MOST_MS : Math.min(MOST_MS, (deadline - begun) / 2)),
    clock,
  })
  return runInTurns(steps, signal)
}
