import type { AppArmorProfile, Container, PodSpec, SeccompProfile, SecurityContext } from '../../../api/core/v1.types.ts'
import type { ObjectMeta } from '../../../api/meta/object.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { allContainers } from '../pod-spec/visit.ts'

/** Input of a check: a pod or a pod template. */
export interface CheckedPod {
  readonly spec: PodSpec
  readonly annotations: Readonly<Record<string, string>>
  /** Init containers, containers and ephemeral containers, in the order in which messages name them. */
  readonly containers: readonly Container[]
}

/** Violation of a standard by a pod. */
export interface Violation {
  /** Short reason, such as `host namespaces`. */
  readonly reason: string
  /** Details of this pod. Printed in parentheses after the reason. */
  readonly detail: string
}

/** Result of a check: undefined if the pod passes. */
export type CheckVerdict = Violation | undefined

/** One rule of a standard. It runs in steps if it sorts or searches lists of unbounded length. */
export type PodCheck = (pod: CheckedPod, features: Features) => CheckVerdict | Steps<CheckVerdict>

/** Creates the input of checks from a pod or pod template. */
export const checkedPod = ({ annotations = {} }: Pick<ObjectMeta, 'annotations'>, spec: PodSpec): CheckedPod => ({
  spec,
  annotations,
  containers: allContainers(spec),
})

/** Fields that the security contexts of pods and containers have in common. */
export type SharedContext = Pick<
  SecurityContext,
  'appArmorProfile' | 'runAsNonRoot' | 'runAsUser' | 'seLinuxOptions' | 'seccompProfile' | 'windowsOptions'
>

/** Returns the security contexts of the pod and its containers. */
export const contextsOf = ({ spec, containers }: CheckedPod): SharedContext[] =>
  [spec, ...containers].flatMap(({ securityContext }) => securityContext ?? [])

/** Reports whether a profile disables AppArmor or seccomp. */
export const isForbiddenProfile = <T extends AppArmorProfile | SeccompProfile>(profile: T | undefined): profile is T =>
  profile !== undefined && profile.type !== 'RuntimeDefault' && profile.type !== 'Localhost'

/** Returns the names of the containers that match. For most pods there are none. */
export function namesWhere({ containers }: CheckedPod, isBad: (container: Container) => boolean): string[] {
  const names: string[] = []
  for (const container of containers) if (isBad(container)) names.push(container.name)
  return names
}
