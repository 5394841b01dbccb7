import type { Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import type { ObjectMeta } from '../../../meta/object.ts'
import { allContainers } from '../pod-spec/visit.ts'
import type { AppArmorProfile, Container, PodSpec, SeccompProfile, SecurityContext } from '../v1.types.ts'

/** What a check looks at: a pod, or the template of one. */
export interface CheckedPod {
  readonly spec: PodSpec
  readonly annotations: Readonly<Record<string, string>>
  /** Init containers, containers, ephemeral ones: in this order messages name them. */
  readonly containers: readonly Container[]
}

/** Why a pod does not keep to a standard. */
export interface Violation {
  /** Short: `host namespaces`. */
  readonly reason: string
  /** What is wrong in this pod; it stands behind the reason in parentheses. */
  readonly detail: string
}

/** What a check finds: undefined for a pod that passes. */
export type Verdict = Violation | undefined

/** One rule of a standard. It takes steps where lists of any length are sorted or searched. */
export type PodCheck = (pod: CheckedPod, features: Features) => Verdict | Steps<Verdict>

/** A pod or template as checks look at it. */
export const checkedPod = ({ annotations = {} }: Pick<ObjectMeta, 'annotations'>, spec: PodSpec): CheckedPod => ({
  spec,
  annotations,
  containers: allContainers(spec),
})

/** What the security contexts of pods and of containers have alike. */
export type SharedContext = Pick<SecurityContext, 'appArmorProfile' | 'runAsNonRoot' | 'runAsUser' | 'seLinuxOptions' | 'seccompProfile' | 'windowsOptions'>

/** The security contexts that the pod and its containers have. */
export const contextsOf = ({ spec, containers }: CheckedPod): SharedContext[] => [spec, ...containers].flatMap(({ securityContext }) => securityContext ?? [])

/** Whether a profile leaves containers without the protection of AppArmor or seccomp. */
export const isForbiddenProfile = <T extends AppArmorProfile | SeccompProfile>(profile: T | undefined): profile is T =>
  profile !== undefined && profile.type !== 'RuntimeDefault' && profile.type !== 'Localhost'

/** The names of the containers for which it holds: of most pods none. */
export function namesWhere({ containers }: CheckedPod, isBad: (container: Container) => boolean): string[] {
  const names: string[] = []
  for (const container of containers) if (isBad(container)) names.push(container.name)
  return names
}
