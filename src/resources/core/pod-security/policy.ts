import { isSince, type Release } from '../../../lifecycle/release.ts'
import { type FieldError, invalid } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { Labels } from '../../../meta/label-matcher.ts'
import { compareLevels, isLevel, isPolicyVersion, isSameLevel, LEVEL_FAULT, type LevelVersion, levelText, VERSION_FAULT } from './level.ts'

/**
 * Modes of a level. A violation is rejected (`enforce`), recorded in the audit log (`audit`) or reported to the client
 * (`warn`).
 */
export const MODES = ['enforce', 'audit', 'warn'] as const
/** A mode is the first part of the names of its two labels. */
export type Mode = (typeof MODES)[number]

/** The three modes are independent: a namespace can warn of violations that it does not reject. */
export type NamespacePolicy = Readonly<Record<Mode, LevelVersion>>

/** Prefix of namespace labels and audit annotations. */
export const PREFIX = 'pod-security.kubernetes.io/'

const LABELS: Readonly<Record<Mode, { readonly level: string; readonly version: string }>> = {
  enforce: { level: `${PREFIX}enforce`, version: `${PREFIX}enforce-version` },
  audit: { level: `${PREFIX}audit`, version: `${PREFIX}audit-version` },
  warn: { level: `${PREFIX}warn`, version: `${PREFIX}warn-version` },
}

const NAMES = MODES.flatMap(mode => [LABELS[mode].level, LABELS[mode].version])
const NONE: readonly FieldError[] = []

/** Policy that allows every pod. */
export const PRIVILEGED: NamespacePolicy = {
  enforce: { level: 'privileged', version: 'latest' },
  audit: { level: 'privileged', version: 'latest' },
  warn: { level: 'privileged', version: 'latest' },
}

/** Policy of a namespace, and the errors in its labels. */
export interface ReadPolicy {
  readonly policy: NamespacePolicy
  readonly faults: readonly FieldError[]
}

/**
 * Reads the policy from the labels of a namespace; modes without a label have the default. An invalid version is
 * treated as `latest`. An invalid level is treated as restricted for `enforce`, and as privileged for the other modes.
 * Since release 1.26 `warn` follows the enforced level if that is stricter than the default and no label sets it.
 */
export function policyOf(labels: Labels = {}, defaults: NamespacePolicy, release: Release): ReadPolicy {
  if (NAMES.every(name => labels[name] === undefined)) return { policy: defaults, faults: NONE }
  const faults: FieldError[] = []
  const read = (mode: Mode): LevelVersion => {
    const level = labels[LABELS[mode].level] ?? defaults[mode].level
    const version = labels[LABELS[mode].version] ?? defaults[mode].version
    if (!isLevel(level)) faults.push(labelFault(LABELS[mode].level, level, LEVEL_FAULT))
    if (!isPolicyVersion(version)) faults.push(labelFault(LABELS[mode].version, version, VERSION_FAULT))
    return {
      level: isLevel(level) ? level : mode === 'enforce' ? 'restricted' : 'privileged',
      version: isPolicyVersion(version) ? version : 'latest',
    }
  }
  const policy = { enforce: read('enforce'), audit: read('audit'), warn: read('warn') }
  return { policy: isSince(release, '1.26') ? { ...policy, warn: warned(policy, labels) } : policy, faults }
}

const labelFault = (label: string, value: string, why: string): FieldError =>
  invalid(fieldPath('metadata', 'labels').key(label), value, why)

function warned({ enforce, warn }: NamespacePolicy, labels: Labels): LevelVersion {
  const given = labels[LABELS.enforce.level]
  if (given === undefined || !isLevel(given) || labels[LABELS.warn.level] !== undefined || compareLevels(enforce.level, warn.level) <= 0)
    return warn
  return { level: enforce.level, version: labels[LABELS.warn.version] === undefined ? enforce.version : warn.version }
}

/** Reports whether every given mode allows all pods. */
export const isPrivileged = (policy: NamespacePolicy, modes: readonly Mode[] = MODES): boolean =>
  modes.every(mode => policy[mode].level === 'privileged')

/** Reports whether two policies are equal. The version of the level privileged is ignored. */
export const isEquivalent = (a: NamespacePolicy, b: NamespacePolicy): boolean =>
  MODES.every(mode => (a[mode].level === 'privileged' && b[mode].level === 'privileged') || isSameLevel(a[mode], b[mode]))

/**
 * Describes the labels of an exempt namespace, which have no effect, as in
 * `enforce=baseline:latest, warn=restricted:v1.33`. Before release 1.26 it describes the whole policy, including modes
 * that no label sets.
 */
export const askedFor = (policy: NamespacePolicy, labels: Labels = {}, release: Release): string =>
  MODES.filter(mode => policy[mode].level !== 'privileged')
    .filter(mode => !isSince(release, '1.26') || labels[LABELS[mode].level] !== undefined || labels[LABELS[mode].version] !== undefined)
    .map(mode => `${mode}=${levelText(policy[mode])}`)
    .join(', ')
