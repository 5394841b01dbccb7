import type { Affinity, EnvVar, NodeSelectorTerm, Pod, PodSpec, PodTemplateSpec } from '../../../api/core/v1.types.ts'
import { isLongStepDone, isStepDone, runAtOnce, type Steps } from '../../../lib/steps.ts'
import { memberNames } from '../../../lib/wide-objects.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { hasFewValues } from '../../../meta/few-values.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { ipWarnings } from '../../../meta/ip.ts'
import { isValidLabelValue } from '../../../meta/names.ts'
import { fractionalByteWarnings } from '../resource-list.ts'
import { APP_ARMOR_PREFIX, SECCOMP_CONTAINER_PREFIX, SECCOMP_POD } from './annotations.ts'
import { portNameWarnings, portWarnings } from './port-warnings.ts'
import { containersWithPath } from './visit.ts'
import { volumeWarnings } from './volume-warnings.ts'

/** Warnings for a pod, in steps. */
export const podWarnings = (pod: Pod, features: Features): Steps<string[]> => warningsOf(pod, fieldPath(), false, features)

/** Warnings for the PodTemplateSpec at `path`, in steps if it is large. An update repeats those of the old template. */
export function podTemplateWarnings(template: PodTemplateSpec, features: Features, path: FieldPath): string[] | Steps<string[]> {
  const warnings = warningsOf(template, path, true, features)
  return hasFewValues(template) ? runAtOnce(warnings) : warnings
}

/** Deprecated node labels: https://kubernetes.io/docs/reference/labels-annotations-taints/ */
const DEPRECATED_LABELS: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods': 'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
}
/** Returns the deprecation message of a node label, or undefined if the label is not deprecated. */
export const deprecatedLabel = (key: string): string | undefined =>
  Object.hasOwn(DEPRECATED_LABELS, key) ? DEPRECATED_LABELS[key] : undefined

const DEPRECATED_ANNOTATIONS: readonly (readonly [string, string])[] = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
]

const NULL_SELECTOR = 'a null labelSelector results in matching no pod'
/** Warning for a seccomp annotation without the field. */
function noSeccomp(release: Release): string {
  const state = isSince(release, '1.27') ? '' : 'deprecated since v1.19, '
  const end = isSince(release, '1.27') ? 'v1.27+' : isSince(release, '1.25') ? 'a future release' : 'v1.25+'
  return `${state}non-functional in ${end}; use the "seccompProfile" field instead`
}

/** Warnings for one term of a node affinity. `checkValues` is set for preferences, whose values are not validated. */
export const nodeTermWarnings = (term: NodeSelectorTerm, checkValues: boolean, path: FieldPath): string[] =>
  runAtOnce(termWarnings(term, checkValues, path))

/** Labels of `matchFields` are not checked: they name fields of nodes. */
function* termWarnings(term: NodeSelectorTerm, checkValues: boolean, path: FieldPath): Steps<string[]> {
  const warnings: string[] = []
  for (const [i, expression] of (term.matchExpressions ?? []).entries()) {
    if (isStepDone()) yield
    const at = path.child('matchExpressions').index(i)
    const text = deprecatedLabel(expression.key)
    if (text) warnings.push(`${at.child('key')}: ${expression.key} is ${text}`)
    if (!checkValues) continue
    expression.values?.forEach((value, j) => {
      for (const error of isValidLabelValue(value)) warnings.push(`${at.child('values').index(j)}: ${value} is invalid, ${error}`)
    })
  }
  return warnings
}

/** Warnings come in upstream's order: node selector, required terms, preferred terms, topology spread. */
function* schedulingWarnings(spec: PodSpec, { release }: Features, path: FieldPath): Steps<string[]> {
  const checkValues = isSince(release, '1.33')
  const warnings: string[] = []
  const { nodeSelector = {} } = spec
  for (const key of yield* memberNames(nodeSelector)) {
    if (isStepDone()) yield
    const text = deprecatedLabel(key)
    if (text) warnings.push(`${path.child('nodeSelector').key(key)}: ${text}`)
  }
  const affinity = spec.affinity?.nodeAffinity
  const at = path.child('affinity', 'nodeAffinity')
  const terms = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  for (const [i, term] of terms.entries()) {
    if (isStepDone()) yield
    const inTerm = at.child('requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms').index(i)
    for (const text of yield* termWarnings(term, false, inTerm)) warnings.push(text)
  }
  for (const [i, { preference }] of (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    if (isStepDone()) yield
    const inTerm = at.child('preferredDuringSchedulingIgnoredDuringExecution').index(i).child('preference')
    for (const text of yield* termWarnings(preference, checkValues, inTerm)) warnings.push(text)
  }
  for (const [i, constraint] of (spec.topologySpreadConstraints ?? []).entries()) {
    if (isStepDone()) yield
    const constraintPath = path.child('topologySpreadConstraints').index(i)
    const text = deprecatedLabel(constraint.topologyKey)
    if (text) warnings.push(`${constraintPath.child('topologyKey')}: ${constraint.topologyKey} is ${text}`)
    if (!constraint.labelSelector && isSince(release, '1.28')) warnings.push(`${constraintPath.child('labelSelector')}: ${NULL_SELECTOR}`)
  }
  return warnings
}

/** A null selector is valid and matches no pod, which is rarely meant. An empty one matches all. */
function* podAffinityWarnings(affinity: Affinity | undefined, path: FieldPath): Steps<string[]> {
  const warnings: string[] = []
  for (const kind of ['podAffinity', 'podAntiAffinity'] as const) {
    const {
      requiredDuringSchedulingIgnoredDuringExecution: required = [],
      preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
    } = affinity?.[kind] ?? {}
    for (const [i, term] of required.entries()) {
      if (isStepDone()) yield
      const at = path.child(kind, 'requiredDuringSchedulingIgnoredDuringExecution').index(i)
      if (!term.labelSelector) warnings.push(`${at.child('labelSelector')}: ${NULL_SELECTOR}`)
    }
    for (const [i, { podAffinityTerm }] of preferred.entries()) {
      if (isStepDone()) yield
      const at = path.child(kind, 'preferredDuringSchedulingIgnoredDuringExecution').index(i)
      if (!podAffinityTerm.labelSelector) warnings.push(`${at.child('podAffinityTerm', 'labelSelector')}: ${NULL_SELECTOR}`)
    }
  }
  return warnings
}

const BYTES = ['memory', 'ephemeral-storage']

/** Warnings for names that occur more than once. */
function* repeated<K extends string>(items: readonly Readonly<Partial<Record<K, string>>>[], field: K, path: FieldPath): Steps<string[]> {
  const seen = new Set<string>()
  const warnings: string[] = []
  for (const [i, item] of items.entries()) {
    if (isStepDone()) yield
    const value = item[field] ?? ''
    if (seen.has(value)) warnings.push(`${path.index(i).child(field)}: duplicate ${field} ${JSON.stringify(value)}`)
    seen.add(value)
  }
  return warnings
}

/** Warnings for a variable that hides an earlier one without referring to it. Before 1.28, for every repeated name. */
function* hiddenVariables(variables: readonly EnvVar[], release: Release, path: FieldPath): Steps<string[]> {
  if (!isSince(release, '1.28')) return yield* repeated(variables, 'name', path)
  const consequence = isSince(release, '1.30') ? ', which may be dropped when using apply' : ''
  const seen = new Set<string>()
  const warnings: string[] = []
  for (const [i, variable] of variables.entries()) {
    if (isStepDone()) yield
    const { name, value = '' } = variable
    const reference = `$(${name})`
    if (seen.has(name) && (variable.valueFrom || value === reference || !value.includes(reference))) {
      warnings.push(`${path.index(i)}: hides previous definition of ${JSON.stringify(name)}${consequence}`)
    }
    seen.add(name)
  }
  return warnings
}

/**
 * Quantities of bytes that are no whole number are warned of, since they are rounded up. `isTemplate`: see
 * `warningsOf`.
 */
function* containerWarnings(template: PodTemplateSpec, base: FieldPath, isTemplate: boolean, { release }: Features): Steps<string[]> {
  const warnings: string[] = []
  const { annotations = {} } = template.metadata
  const annotationsPath = base.child('metadata', 'annotations')
  const podProfile = template.spec.securityContext?.appArmorProfile
  for (const [container, path] of containersWithPath(template.spec, base.child('spec'))) {
    if (isLongStepDone()) yield
    const context = container.securityContext
    const seccomp = SECCOMP_CONTAINER_PREFIX + container.name
    if (!context?.seccompProfile && annotations[seccomp] !== undefined)
      warnings.push(`${annotationsPath.key(seccomp)}: ${noSeccomp(release)}`)
    const appArmor = APP_ARMOR_PREFIX + container.name
    if (isTemplate && isSince(release, '1.30') && !podProfile && !context?.appArmorProfile && annotations[appArmor] !== undefined) {
      warnings.push(`${annotationsPath.key(appArmor)}: ${OLD_APP_ARMOR}`)
    }
    warnings.push(...fractionalByteWarnings(container.resources.limits, BYTES, path.child('resources', 'limits')))
    warnings.push(...fractionalByteWarnings(container.resources.requests, BYTES, path.child('resources', 'requests')))
    if (container.env && container.env.length > 1)
      for (const text of yield* hiddenVariables(container.env, release, path.child('env'))) warnings.push(text)
  }
  return warnings
}

/** The warning for an AppArmor annotation. */
export const OLD_APP_ARMOR = 'deprecated since v1.30; use the "appArmorProfile" field instead'

/**
 * Warnings for a pod or template at the path `base`. `isTemplate` adds the warning for AppArmor annotations; for pods
 * `prepare` adds it. Source: pkg/api/pod/warnings.go in k8s.io/kubernetes.
 */
function* warningsOf(template: PodTemplateSpec, base: FieldPath, isTemplate: boolean, features: Features): Steps<string[]> {
  const { spec } = template
  const { annotations = {} } = template.metadata
  const path = base.child('spec')
  const annotationsPath = base.child('metadata', 'annotations')
  const warnings = yield* schedulingWarnings(spec, features, path)
  yield
  for (const [key, text] of DEPRECATED_ANNOTATIONS)
    if (annotations[key] !== undefined) warnings.push(`${annotationsPath.key(key)}: ${text}`)
  for (const warning of yield* volumeWarnings(spec.volumes ?? [], features, path.child('volumes'))) warnings.push(warning)
  yield
  const { hostAliases: aliases = [], imagePullSecrets: secrets = [] } = spec
  for (const text of yield* repeated(aliases, 'ip', path.child('hostAliases'))) warnings.push(text)
  const strict = isSince(features.release, '1.33')
  for (const text of yield* repeated(secrets, 'name', path.child('imagePullSecrets'))) warnings.push(text)
  for (const [i, secret] of secrets.entries()) {
    if (isStepDone()) yield
    if (!secret.name) warnings.push(`${path.child('imagePullSecrets').index(i).child('name')}: invalid empty name ""`)
  }
  warnings.push(...fractionalByteWarnings(spec.overhead, BYTES, path.child('overhead')))
  if (!spec.securityContext?.seccompProfile && annotations[SECCOMP_POD] !== undefined)
    warnings.push(`${annotationsPath.key(SECCOMP_POD)}: ${noSeccomp(features.release)}`)
  yield
  for (const text of yield* containerWarnings(template, base, isTemplate, features)) warnings.push(text)
  yield
  if (isSince(features.release, '1.28')) warnings.push(...(yield* portWarnings(spec, path)))
  if (strict) for (const text of yield* portNameWarnings(spec, path)) warnings.push(text)
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0 && isSince(features.release, '1.27')) {
    warnings.push(`${path.child('terminationGracePeriodSeconds')}: must be >= 0; negative values are invalid and will be treated as 1`)
  }
  if (isSince(features.release, '1.28'))
    for (const text of yield* podAffinityWarnings(spec.affinity, path.child('affinity'))) warnings.push(text)
  spec.dnsConfig?.nameservers?.forEach((nameserver, i) => {
    if (strict) warnings.push(...ipWarnings(path.child('dnsConfig', 'nameservers').index(i), nameserver))
  })
  for (const [i, alias] of aliases.entries()) {
    if (isLongStepDone()) yield
    if (strict) warnings.push(...ipWarnings(path.child('hostAliases').index(i).child('ip'), alias.ip ?? ''))
  }
  return warnings
}
