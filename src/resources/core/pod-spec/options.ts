import { FieldPath } from '../../../meta/field-path.ts'
import type { LabelSelector } from '../../../meta/label-selector.ts'
import { validateLabelSelector } from '../../../meta/label-selector.ts'
import { isValidLabelValue } from '../../../meta/names.ts'
import type { ObjectMeta } from '../../../meta/object.ts'
import type { Affinity, NodeSelectorTerm, Pod, PodAffinityTerm, PodSpec, PodTemplateSpec } from '../v1.types.ts'
import { validateNonReservedPath } from '../volume/paths.ts'
import { deletionCostError } from './annotations.ts'
import { isDivisibleHugePages } from './resources.ts'
import { sysctlNamespace } from './sysctls.ts'
import { allContainers } from './visit.ts'

/** What validation lets pass. Where an old object has what is no longer allowed, its successors may keep it. */
export interface PodValidationOptions {
  /** The resource is a Pod, not a template in something else. */
  readonly resourceIsPod: boolean
  readonly allowInvalidDeletionCost: boolean
  readonly allowInvalidSelectorValues: boolean
  readonly allowInvalidSpreadSelector: boolean
  readonly allowInvalidRequiredAffinityValues: boolean
  readonly allowIndivisibleHugePages: boolean
  readonly allowNonLocalTokenPath: boolean
  readonly allowHostNamespaceSysctls: boolean
  /** seLinuxChangePolicy may be MountOption, too. */
  readonly allowAnySELinuxChangePolicy: boolean
}

const FRESH: PodValidationOptions = {
  resourceIsPod: false,
  allowInvalidDeletionCost: false,
  allowInvalidSelectorValues: false,
  allowInvalidSpreadSelector: false,
  allowInvalidRequiredAffinityValues: false,
  allowIndivisibleHugePages: false,
  allowNonLocalTokenPath: false,
  allowHostNamespaceSysctls: false,
  allowAnySELinuxChangePolicy: false,
}
const FRESH_POD: PodValidationOptions = { ...FRESH, resourceIsPod: true }

/** For a Pod. `old`: the pod as it was, absent on create. */
export const podOptions = (old?: Pod): PodValidationOptions => (old ? toleratingOptions(old.spec, old.metadata, true) : FRESH_POD)

/** For a template in another kind. `old`: the PodTemplateSpec as it was. */
export const podTemplateOptions = (old?: PodTemplateSpec): PodValidationOptions => (old ? toleratingOptions(old.spec, old.metadata, false) : FRESH)

function toleratingOptions(spec: PodSpec, metadata: ObjectMeta, resourceIsPod: boolean): PodValidationOptions {
  return {
    resourceIsPod,
    allowInvalidDeletionCost: deletionCostError(metadata.annotations) !== undefined,
    allowInvalidSelectorValues: hasInvalidAffinitySelector(spec.affinity),
    allowInvalidSpreadSelector: (spec.topologySpreadConstraints ?? []).some(c => isInvalidSelector(c.labelSelector)),
    allowInvalidRequiredAffinityValues: hasInvalidRequiredAffinityValue(spec.affinity),
    allowIndivisibleHugePages: hasIndivisibleHugePages(spec),
    allowNonLocalTokenPath: hasNonLocalTokenPath(spec),
    allowHostNamespaceSysctls: hasHostNamespaceSysctl(spec),
    allowAnySELinuxChangePolicy: spec.securityContext?.seLinuxChangePolicy !== undefined,
  }
}

const NOWHERE = new FieldPath('')
const isInvalidSelector = (selector: LabelSelector | undefined): boolean => validateLabelSelector(selector, NOWHERE).length > 0

function hasInvalidAffinitySelector(affinity: Affinity | undefined): boolean {
  for (const terms of [affinity?.podAffinity, affinity?.podAntiAffinity]) {
    for (const term of terms?.requiredDuringSchedulingIgnoredDuringExecution ?? []) if (hasInvalidSelector(term)) return true
    for (const { podAffinityTerm } of terms?.preferredDuringSchedulingIgnoredDuringExecution ?? []) if (hasInvalidSelector(podAffinityTerm)) return true
  }
  return false
}
const hasInvalidSelector = (term: PodAffinityTerm): boolean => isInvalidSelector(term.labelSelector) || isInvalidSelector(term.namespaceSelector)

/** Also of persistent volumes, whose terms are alike. */
export const hasInvalidTermValue = (terms: readonly NodeSelectorTerm[]): boolean =>
  terms.some(term => (term.matchExpressions ?? []).some(e => (e.values ?? []).some(value => isValidLabelValue(value).length > 0)))

const hasInvalidRequiredAffinityValue = (affinity: Affinity | undefined): boolean =>
  hasInvalidTermValue(affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [])

function hasIndivisibleHugePages(spec: PodSpec): boolean {
  for (const { resources } of allContainers(spec)) {
    for (const list of [resources.limits, resources.requests]) {
      for (const [name, quantity] of Object.entries(list ?? {})) if (!isDivisibleHugePages(name, quantity)) return true
    }
  }
  return false
}

function hasNonLocalTokenPath(spec: PodSpec): boolean {
  for (const volume of spec.volumes ?? []) {
    for (const source of volume.projected?.sources ?? []) {
      if (source.serviceAccountToken && validateNonReservedPath(source.serviceAccountToken.path, NOWHERE).length > 0) return true
    }
  }
  return false
}

const hasHostNamespaceSysctl = (spec: PodSpec): boolean =>
  (spec.securityContext?.sysctls ?? []).some(({ name }) => {
    const namespace = sysctlNamespace(name)
    return (namespace === 'net' && spec.hostNetwork === true) || (namespace === 'ipc' && spec.hostIPC === true)
  })
