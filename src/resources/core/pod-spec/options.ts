import type { Affinity, ContainerResizePolicy, NodeSelectorTerm, Pod, PodSpec, PodTemplateSpec } from '../../../api/core/v1.types.ts'
import type { ObjectMeta } from '../../../api/meta/object.ts'
import type { LabelSelector } from '../../../api/meta/v1.types.ts'
import { isLongStepDone, isStepDone, runAtOnce, type Steps } from '../../../lib/steps.ts'
import { memberNames } from '../../../lib/wide-objects.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { hasFewValues } from '../../../meta/few-values.ts'
import { FieldPath } from '../../../meta/field-path.ts'
import { labelSelectorErrors } from '../../../meta/label-selector.ts'
import { isEnvVarName, isRelaxedEnvVarName, isValidLabelValue } from '../../../meta/names.ts'
import { type LegacyAddresses, legacyAddresses } from '../../shared/legacy-addresses.ts'
import { type HostIPsUse, usesHostIPs } from '../volume/downward-api.ts'
import { validateNonReservedPath } from '../volume/paths.ts'
import { deletionCostError } from './annotations.ts'
import { isDivisibleHugePages } from './resources.ts'
import { type RestartOptions, restartsAll, usesRestartRules } from './restart-rules.ts'
import { type SpreadOptions, validateSpreadKeys } from './scheduling.ts'
import { sysctlNamespace } from './sysctls.ts'
import { allContainers, isSidecar } from './visit.ts'

/** Rules that validation relaxes. An update may keep a fault that the old object has. */
export interface PodValidationOptions extends RestartOptions, SpreadOptions {
  /** Whether the resource is a Pod, not a template in another resource. */
  readonly resourceIsPod: boolean
  /** Whether the annotation with the deletion cost may be no int32. */
  readonly allowInvalidDeletionCost: boolean
  /** Whether selectors of pod affinity may be invalid. */
  readonly allowInvalidSelectorValues: boolean
  /** Whether required node affinity may have invalid label values. */
  readonly allowInvalidRequiredAffinityValues: boolean
  /** Whether amounts of huge pages may be no multiple of the page size. */
  readonly allowIndivisibleHugePages: boolean
  /** Whether the path of a projected token may be absolute, contain `..` or begin with two dots. */
  readonly allowNonLocalTokenPath: boolean
  /** Whether sysctls of a namespace may be set that the pod shares with the host. */
  readonly allowHostNamespaceSysctls: boolean
  /** Whether /proc may be unmasked in the host's user namespace. */
  readonly allowUnmaskedProcOfHost: boolean
  /** Whether a pod with its own user namespace may have raw block devices, although they do not work there. */
  readonly allowUserNamespaceDevices: boolean
  /** Whether a resize may restart an init container that is not a sidecar. */
  readonly allowInitResizeRestart: boolean
  /** Whether only those pod-level resources are compared with the containers' that the pod sets. */
  readonly comparesGivenPodResources: boolean
  /** Whether seLinuxChangePolicy may be MountOption. */
  readonly allowAnySELinuxChangePolicy: boolean
  /** Whether names of environment variables may be any printable ASCII without `=`. */
  readonly allowRelaxedEnvironment: boolean
  /** Whether DNS search paths may be `.` and contain underscores. */
  readonly allowRelaxedSearches: boolean
  /** Whether the larger limits on DNS search paths of the gate ExpandedDNSConfig apply. */
  readonly allowExpandedSearches: boolean
  /** Whether a lifecycle hook may sleep for 0 seconds. */
  readonly allowZeroSleep: boolean
  /** Whether pod-level resources are allowed. */
  readonly podLevelResources: boolean
  /** Whether a subPath of an image volume may be mounted. */
  readonly allowImageSubPaths: boolean
  /** Whether sidecars may have a resize policy. */
  readonly allowSidecarResizePolicy: boolean
  /** Validation of the addresses of nameservers and host aliases. */
  readonly addresses: LegacyAddresses
  /** Whether variables may be read from files. */
  readonly allowEnvFiles: boolean
  /** Whether variables may refer to `status.hostIPs`. `unknown` if the release does not have the field. */
  readonly hostIPs: HostIPsUse
  /** Release whose messages errors have. */
  readonly release: Release
}

/** A new object may have no faults. */
const FRESH = {
  allowInvalidDeletionCost: false,
  allowInvalidSelectorValues: false,
  allowInvalidSpreadSelector: false,
  allowInvalidRequiredAffinityValues: false,
  allowIndivisibleHugePages: false,
  allowNonLocalTokenPath: false,
  allowHostNamespaceSysctls: false,
  allowUnmaskedProcOfHost: false,
  allowUserNamespaceDevices: false,
  allowInitResizeRestart: false,
}

/** Fault that some releases do not check. */
type UncheckedFault = keyof typeof FRESH

/**
 * Faults that releases accepted until they began to check for them. Source: pkg/apis/core/validation in
 * k8s.io/kubernetes, by release.
 */
const UNCHECKED_BEFORE: readonly (readonly [since: Release, fault: UncheckedFault])[] = [
  ['1.26', 'allowInvalidSelectorValues'],
  ['1.27', 'allowInvalidSpreadSelector'],
  ['1.29', 'allowHostNamespaceSysctls'],
  ['1.30', 'allowNonLocalTokenPath'],
  ['1.30', 'allowUnmaskedProcOfHost'],
  ['1.33', 'allowInvalidRequiredAffinityValues'],
  ['1.34', 'allowUserNamespaceDevices'],
  ['1.36', 'allowInitResizeRestart'],
]

const uncheckedIn = (release: Release): Partial<Record<UncheckedFault, true>> =>
  Object.fromEntries(UNCHECKED_BEFORE.filter(([since]) => !isSince(release, since)).map(([, fault]) => [fault, true]))

/** Options for a new Pod. */
export const newPodOptions = (features: Features): PodValidationOptions => optionsOfNew(features).pod

/** Options for an update of a Pod. */
export function* podUpdateOptions(features: Features, next: Pod, old: Pod): Steps<PodValidationOptions> {
  return { ...optionsOfNew(features).pod, ...(yield* optionsOfOld(features, next.spec, old)) }
}

/** Options for an update of the status of a Pod. Faults of its spec, which stays as it is, do not matter. */
export function* podStatusOptions(features: Features, next: Pod, { spec, metadata }: Pod): Steps<PodValidationOptions> {
  return {
    ...optionsOfNew(features).pod,
    allowInvalidDeletionCost: deletionCostError(metadata.annotations) !== undefined,
    ...(yield* gatedOptions(features, next.spec, spec)),
    ...uncheckedIn(features.release),
  }
}

/** Options for a PodTemplateSpec in another resource; `old` is absent on create. */
export function podTemplateOptions(features: Features, next: PodTemplateSpec, old?: PodTemplateSpec): PodValidationOptions {
  if (!old) return optionsOfNew(features).template
  const known = optionsOfLarge.get(next)
  return known?.old === old ? known.options : runAtOnce(templateUpdateOptions(features, next, old))
}

/** Options of large templates that were determined in steps. Rules of their kinds, which run in one call, use them. */
const optionsOfLarge = new WeakMap<PodTemplateSpec, { readonly old: PodTemplateSpec; readonly options: PodValidationOptions }>()

/**
 * Determines the options in steps if one of the templates is large, before `podTemplateOptions` with the same
 * arguments.
 */
export function* largeTemplateOptions(features: Features, next: PodTemplateSpec, old?: PodTemplateSpec): Steps<PodValidationOptions> {
  if (old && !(hasFewValues(next) && hasFewValues(old)))
    optionsOfLarge.set(next, { old, options: yield* templateUpdateOptions(features, next, old) })
  return podTemplateOptions(features, next, old)
}

function* templateUpdateOptions(features: Features, next: PodTemplateSpec, old: PodTemplateSpec): Steps<PodValidationOptions> {
  return { ...optionsOfNew(features).template, ...(yield* optionsOfOld(features, next.spec, old)) }
}

/** Options of create, by resource. */
interface OptionsOfNew {
  /** Options for pods. */
  readonly pod: PodValidationOptions
  /** Options for templates in other resources. */
  readonly template: PodValidationOptions
}

/** Options for new pods and templates, which depend only on the features and are computed once. */
const ofNew = new WeakMap<Features, OptionsOfNew>()

/** Returns the options for new objects, computed for the first one. */
function optionsOfNew(features: Features): OptionsOfNew {
  let options = ofNew.get(features)
  if (!options) {
    const common = { ...FRESH, ...runAtOnce(gatedOptions(features, undefined, undefined)), ...uncheckedIn(features.release) }
    options = { pod: { resourceIsPod: true, ...common }, template: { resourceIsPod: false, ...common } }
    ofNew.set(features, options)
  }
  return options
}

function* optionsOfOld(features: Features, next: PodSpec, { spec, metadata }: Pick<Pod, 'spec' | 'metadata'>) {
  return {
    ...(yield* toleratingOptions(spec, metadata)),
    ...(yield* gatedOptions(features, next, spec)),
    ...uncheckedIn(features.release),
  }
}

/** Options that a gate or, if the gate is off, the old spec enables. */
function* gatedOptions(features: Features, next: PodSpec | undefined, old: PodSpec | undefined) {
  return {
    release: features.release,
    allowAnySELinuxChangePolicy: features.enabled('SELinuxMount') || old?.securityContext?.seLinuxChangePolicy !== undefined,
    comparesGivenPodResources: isSince(features.release, '1.34'),
    allowImageSubPaths: isSince(features.release, '1.33'),
    allowRelaxedEnvironment:
      features.enabled('RelaxedEnvironmentVariableValidation') ||
      (next !== undefined && old !== undefined && (yield* keepsRelaxedVariable(next, old))),
    addresses: legacyAddresses(features),
    allowRelaxedSearches:
      features.enabled('RelaxedDNSSearchValidation') ||
      (old?.dnsConfig?.searches ?? []).some(search => search === '.' || search.includes('_')),
    allowExpandedSearches:
      features.enabled('ExpandedDNSConfig') ||
      (old?.dnsConfig !== undefined && next?.dnsConfig !== undefined && deepEqual(old.dnsConfig.searches, next.dnsConfig.searches)),
    podLevelResources: features.enabled('PodLevelResources'),
    allowRestartRules: features.enabled('ContainerRestartRules') || (old !== undefined && usesRestartRules(old)),
    allowRestartAll: features.enabled('RestartAllContainersOnContainerExits') || (old !== undefined && restartsAll(old)),
    countsItems: isSince(features.release, '1.35'),
    mergesSpreadKeys: mergesKeys(features, old),
    allowSpreadKeysAlone: allowsSpreadKeysAlone(features),
    allowEnvFiles: features.enabled('EnvFiles') || (old !== undefined && readsFiles(old)),
    hostIPs: hostIPsUse(features, old),
    allowZeroSleep: features.enabled('PodLifecycleSleepActionAllowZero') || (old !== undefined && sleepsZero(old)),
    allowSidecarResizePolicy:
      features.enabled('InPlacePodVerticalScaling') ||
      (old?.initContainers ?? []).some(each => isSidecar(each) && (each.resizePolicy ?? []).length > 0),
  }
}

/**
 * Returns the state of the gate, unless the old spec is valid only under the opposite one: it was written before the
 * gate changed.
 */
function mergesKeys(features: Features, old: PodSpec | undefined): boolean {
  const isOn = features.enabled('MatchLabelKeysInPodTopologySpreadSelectorMerge')
  const rules = { mergesSpreadKeys: isOn, allowSpreadKeysAlone: allowsSpreadKeysAlone(features) }
  const isFault = (old?.topologySpreadConstraints ?? []).some(constraint => validateSpreadKeys(constraint, NOWHERE, rules).length > 0)
  return isOn !== isFault
}

const allowsSpreadKeysAlone = ({ release }: Features): boolean => !isSince(release, '1.27')

function hostIPsUse(features: Features, old: PodSpec | undefined): HostIPsUse {
  if (!isSince(features.release, '1.28')) return 'unknown'
  if (features.enabled('PodHostIPs') || (old && [...allContainers(old)].some(({ env = [] }) => env.some(usesHostIPs)))) return 'allowed'
  return 'forbidden'
}

const readsFiles = (spec: PodSpec): boolean =>
  [...allContainers(spec)].some(({ env = [] }) => env.some(({ valueFrom }) => valueFrom?.fileKeyRef))

/**
 * Options for faults of the old object. The new object may have the same kind of fault anywhere, not only where the old
 * one has it.
 */
function* toleratingOptions(spec: PodSpec, metadata: ObjectMeta): Steps<typeof FRESH> {
  return {
    allowInvalidDeletionCost: deletionCostError(metadata.annotations) !== undefined,
    allowInvalidSelectorValues: yield* hasInvalidAffinitySelector(spec.affinity),
    allowInvalidSpreadSelector: yield* hasInvalidSelector(spec.topologySpreadConstraints ?? []),
    allowInvalidRequiredAffinityValues: yield* hasInvalidRequiredAffinityValue(spec.affinity),
    allowIndivisibleHugePages: yield* hasIndivisibleHugePages(spec),
    allowNonLocalTokenPath: hasNonLocalTokenPath(spec),
    allowHostNamespaceSysctls: hasHostNamespaceSysctl(spec),
    allowUnmaskedProcOfHost: false,
    allowUserNamespaceDevices:
      spec.hostUsers === false && [...allContainers(spec)].some(({ volumeDevices = [] }) => volumeDevices.length > 0),
    allowInitResizeRestart: (spec.initContainers ?? []).some(each => !isSidecar(each) && (each.resizePolicy ?? []).some(isRestart)),
  }
}

const isRestart = ({ restartPolicy }: ContainerResizePolicy): boolean => restartPolicy === 'RestartContainer'
/** Path of errors that are only counted. */
const NOWHERE = new FieldPath('')
function* isInvalidSelector(selector: LabelSelector | undefined): Steps<boolean> {
  return (yield* labelSelectorErrors(selector ?? {}, NOWHERE)).length > 0
}

/** Looks at required and preferred terms of affinity and anti-affinity. */
function* hasInvalidAffinitySelector(affinity: Affinity | undefined): Steps<boolean> {
  for (const terms of [affinity?.podAffinity, affinity?.podAntiAffinity]) {
    if (yield* hasInvalidSelector(terms?.requiredDuringSchedulingIgnoredDuringExecution ?? [])) return true
    const preferred = terms?.preferredDuringSchedulingIgnoredDuringExecution ?? []
    if (yield* hasInvalidSelector(preferred.map(({ podAffinityTerm }) => podAffinityTerm))) return true
  }
  return false
}

/** Looks at the selectors of affinity terms or spread constraints. */
function* hasInvalidSelector(
  terms: readonly { readonly labelSelector?: LabelSelector; readonly namespaceSelector?: LabelSelector }[],
): Steps<boolean> {
  for (const { labelSelector, namespaceSelector } of terms) {
    if (isLongStepDone()) yield
    if ((yield* isInvalidSelector(labelSelector)) || (yield* isInvalidSelector(namespaceSelector))) return true
  }
  return false
}

/**
 * Reports in steps whether an expression of a term has an invalid label value. Used for the terms of persistent volumes
 * as well.
 */
export function* hasInvalidTermValue(terms: readonly NodeSelectorTerm[]): Steps<boolean> {
  for (const { matchExpressions = [] } of terms)
    for (const { values = [] } of matchExpressions)
      for (const value of values) {
        if (isStepDone()) yield
        if (isValidLabelValue(value).length > 0) return true
      }
  return false
}

const hasInvalidRequiredAffinityValue = (affinity: Affinity | undefined): Steps<boolean> =>
  hasInvalidTermValue(affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [])

/** Looks at limits and requests of all containers. */
function* hasIndivisibleHugePages(spec: PodSpec): Steps<boolean> {
  for (const { resources } of allContainers(spec)) {
    for (const list of [resources.limits ?? {}, resources.requests ?? {}]) {
      for (const name of yield* memberNames(list)) {
        if (isStepDone()) yield
        if (!isDivisibleHugePages(name, list[name] ?? '')) return true
      }
    }
  }
  return false
}

/** Looks at tokens in projected volumes. */
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

/** Names of variables and prefixes of sources. The same rule applies to both. */
function* variableNames(spec: PodSpec): Steps<Set<string>> {
  const names = new Set<string>()
  for (const { env = [], envFrom = [] } of allContainers(spec)) {
    for (const { name } of env) {
      if (isStepDone()) yield
      names.add(name)
    }
    for (const { prefix = '' } of envFrom) {
      if (isStepDone()) yield
      names.add(prefix)
    }
  }
  return names
}

/** Reports whether the old spec has one of the names that only the relaxed rule accepts. */
function* keepsRelaxedVariable(next: PodSpec, old: PodSpec): Steps<boolean> {
  const before = yield* variableNames(old)
  for (const name of yield* variableNames(next)) {
    if (isLongStepDone()) yield
    if (isEnvVarName(name).length > 0 && isRelaxedEnvVarName(name).length === 0 && before.has(name)) return true
  }
  return false
}

const sleepsZero = (spec: PodSpec): boolean =>
  allContainers(spec).some(({ lifecycle }) => lifecycle?.preStop?.sleep?.seconds === 0 || lifecycle?.postStart?.sleep?.seconds === 0)
