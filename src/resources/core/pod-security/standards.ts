import { runIfSteps, type Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince, minorOf, type Release } from '../../../lifecycle/release.ts'
import type { CheckedPod, PodCheck, Violation } from './check.ts'
import { appArmorProfile } from './checks/app-armor-profile.ts'
import { capabilitiesBaseline, capabilitiesRestricted } from './checks/capabilities.ts'
import { hostNamespaces, hostPathVolumes, hostPorts, hostProbes, windowsHostProcess } from './checks/host.ts'
import { allowPrivilegeEscalation, privileged, procMount, runAsNonRoot, runAsUser } from './checks/privileges.ts'
import { restrictedVolumes } from './checks/restricted-volumes.ts'
import { seLinuxOptions } from './checks/se-linux-options.ts'
import { seccompAnnotations, seccompBaseline, seccompRestricted } from './checks/seccomp-profile.ts'
import { sysctls } from './checks/sysctls.ts'
import { type LevelVersion, minorOfVersion } from './level.ts'

/** A check, and the first minor version of the standards that has it in this form. */
interface CheckVersion {
  readonly since: number
  readonly check: PodCheck
}

/** A rule and its versions, oldest first. */
interface PodSecurityRule {
  readonly id: string
  readonly versions: readonly CheckVersion[]
  /** ID of the baseline rule that a restricted rule replaces. */
  readonly replaces?: string
}

const from = (since: number, check: PodCheck): CheckVersion => ({ since, check })

const rule = (id: string, ...versions: readonly CheckVersion[]): PodSecurityRule => ({ id, versions })

const replacing = (replaces: string, restricted: PodSecurityRule): PodSecurityRule => ({ ...restricted, replaces })

/** Skips Windows pods. Validation already rejects these fields there. */
const unlessWindows =
  (check: PodCheck): PodCheck =>
  (pod, features) =>
    pod.spec.os?.name === 'windows' ? undefined : check(pod, features)

/** Skips pods with a user namespace, in which root has no rights on the node. */
const unlessUserNamespace =
  (check: PodCheck): PodCheck =>
  (pod, features) =>
    pod.spec.hostUsers === false ? undefined : check(pod, features)

/**
 * Does the same while a gate is on, for versions of the standards before 1.35. `since` is the first release in which
 * the gate affects this check.
 */
const unlessRelaxed =
  (check: PodCheck, since: Release = '1.29'): PodCheck =>
  (pod, features) =>
    isSince(features.release, since) && features.enabled('UserNamespacesPodSecurityStandards')
      ? unlessUserNamespace(check)(pod, features)
      : check(pod, features)

/** Rules sorted by name, which is the order of messages. Source: k8s.io/pod-security-admission, policy. */
const BASELINE: readonly PodSecurityRule[] = [
  rule('appArmorProfile', from(0, appArmorProfile)),
  rule('capabilities_baseline', from(0, capabilitiesBaseline)),
  rule('hostNamespaces', from(0, hostNamespaces)),
  rule('hostPathVolumes', from(0, hostPathVolumes)),
  rule('hostPorts', from(0, hostPorts)),
  rule('hostProbesAndHostLifecycle', from(34, hostProbes)),
  rule('privileged', from(0, privileged)),
  rule('procMount', from(0, unlessRelaxed(procMount, '1.31')), from(35, unlessUserNamespace(procMount))),
  rule('seLinuxOptions', from(0, seLinuxOptions(0)), from(31, seLinuxOptions(31))),
  rule('seccompProfile_baseline', from(0, seccompAnnotations), from(19, seccompBaseline)),
  rule('sysctls', ...[0, 27, 29, 32, 37].map(minor => from(minor, sysctls(minor)))),
  rule('windowsHostProcess', from(0, windowsHostProcess)),
]

const RESTRICTED: readonly PodSecurityRule[] = [
  rule('allowPrivilegeEscalation', from(8, allowPrivilegeEscalation), from(25, unlessWindows(allowPrivilegeEscalation))),
  replacing(
    'capabilities_baseline',
    rule('capabilities_restricted', from(22, capabilitiesRestricted), from(25, unlessWindows(capabilitiesRestricted))),
  ),
  replacing('procMount', rule('procMount_restricted', from(35, procMount))),
  replacing('hostPathVolumes', rule('restrictedVolumes', from(0, restrictedVolumes))),
  rule('runAsNonRoot', from(0, unlessRelaxed(runAsNonRoot)), from(35, unlessUserNamespace(runAsNonRoot))),
  rule('runAsUser', from(23, unlessRelaxed(runAsUser)), from(35, unlessUserNamespace(runAsUser))),
  replacing(
    'seccompProfile_baseline',
    rule('seccompProfile_restricted', from(19, seccompRestricted), from(25, unlessWindows(seccompRestricted))),
  ),
]

/** Returns the rules of a minor version, each in the form of that version. */
const rulesInVersion = (
  rules: readonly PodSecurityRule[],
  minor: number,
): (Pick<PodSecurityRule, 'id' | 'replaces'> & { readonly check: PodCheck })[] =>
  rules.flatMap(({ id, replaces, versions }) => {
    const check = versions.findLast(({ since }) => since <= minor)?.check
    return check === undefined ? [] : [{ id, check, ...(replaces !== undefined && { replaces }) }]
  })

function checksOf(level: 'baseline' | 'restricted', minor: number): readonly PodCheck[] {
  const baseline = rulesInVersion(BASELINE, minor)
  if (level === 'baseline') return baseline.map(({ check }) => check)
  const restricted = rulesInVersion(RESTRICTED, minor)
  const replaced = new Set(restricted.map(({ replaces }) => replaces))
  return [...baseline.filter(({ id }) => !replaced.has(id)), ...restricted].map(({ check }) => check)
}

/** The Pod Security Standards of a release. Later versions are treated as the release's own. */
export class Standards {
  readonly #features: Features
  /** Checks by level and version, built on first use. */
  readonly #checks = new Map<string, readonly PodCheck[]>()

  constructor(features: Features) {
    this.#features = features
  }

  /**
   * Returns the violations of a pod, at most one per rule, in the order of messages. A step is one rule or part of one.
   */
  *violations({ level, version }: LevelVersion, pod: CheckedPod): Steps<Violation[]> {
    const found: Violation[] = []
    if (level === 'privileged') return found
    for (const check of this.#checksOf(level, Math.min(minorOfVersion(version), minorOf(this.#features.release)))) {
      const violation = yield* runIfSteps(check(pod, this.#features))
      if (violation !== undefined) found.push(violation)
      yield
    }
    return found
  }

  #checksOf(level: 'baseline' | 'restricted', minor: number): readonly PodCheck[] {
    const key = `${level}:${minor}`
    const known = this.#checks.get(key) ?? checksOf(level, minor)
    this.#checks.set(key, known)
    return known
  }
}

/** Prints the reasons alone: `host namespaces, privileged`. */
export const reasonsText = (violations: readonly Violation[]): string => violations.map(({ reason }) => reason).join(', ')

/** Prints the reasons with details: `host namespaces (hostPID=true), privileged (container "a" must not set …)`. */
export const detailsText = (violations: readonly Violation[]): string =>
  violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ')
