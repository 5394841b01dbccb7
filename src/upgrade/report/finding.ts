import type { Release } from '../../lifecycle/release.ts'

/** `blocking`: something stops working with the upgrade. `warning`: deprecated, or it works otherwise. `note`: good to know. */
export type Level = 'blocking' | 'warning' | 'note'

/** What is found, by a name that stays: outputs show it, and users filter by it. */
export const RULES = {
  'removed-version': 'A version of a kind is not served by the target release',
  'deprecated-version': 'A version of a kind is deprecated in the target release',
  'missing-version': 'A version of a kind comes after the target release',
  'removed-field': 'A field is not known to the target release',
  'deprecated-field': 'A field, value or annotation is deprecated in the target release',
  'deprecated-annotation': 'An annotation or label is deprecated or without effect',
  'changed-default': 'A field gets another default',
  'changed-validation': 'The target release refuses what the present one accepts',
  'invalid-object': 'Both releases refuse the object, as a patch or a template may be',
  'removed-reference': 'A reference names a version that is not served',
  'unmatched-rule': 'A webhook, policy or role names versions or groups that are not served',
  'removed-gate': 'A feature gate does not exist in the target release',
  'locked-gate': 'A feature gate can no longer be set so',
  'deprecated-gate': 'A feature gate is on its way out',
  'removed-flag': 'A flag or a value of a flag is not known to the target release',
  'deprecated-flag': 'A flag is on its way out',
  'removed-config': 'A version of a component configuration is not read by the target release',
  'deprecated-config': 'A version of a component configuration is on its way out',
  'custom-version': 'A version of a custom kind is deprecated or not served by its definition',
  'requested-version': 'Clients have asked for a version that goes',
  'needs-decision': 'A conversion leaves something to decide',
  unreadable: 'An object or file could not be examined',
} as const

export type Rule = keyof typeof RULES

/** Where something was found. */
export interface Place {
  /** A file and the line in it, from 1. */
  readonly file?: string
  readonly line?: number
  /** Elsewhere: the address, key or path of the object. */
  readonly source?: string
}

/** Who wrote or asked. */
export interface Usage {
  /** `kubectl-client-side-apply`, a user agent … */
  readonly by: string
  readonly apiVersion?: string
  /** RFC 3339. */
  readonly time?: string
}

export interface Finding {
  readonly rule: Rule
  readonly level: Level
  /** `Deployment shop/web`, `kube-apiserver --feature-gates` */
  readonly subject: string
  readonly place: Place
  readonly message: string
  /** What to do, where that is known. */
  readonly advice?: string
  /** The release in which it comes about, where that is known. */
  readonly since?: Release
  readonly usages?: readonly Usage[]
  /** What conversion makes of the object: a unified diff. */
  readonly diff?: string
}

export interface Report {
  readonly from: Release
  readonly to: Release
  /** What was examined: folders, servers. */
  readonly sources: readonly string[]
  readonly objects: number
  /** Blocking ones first, then by place. */
  readonly findings: readonly Finding[]
}

const ORDER: readonly Level[] = ['blocking', 'warning', 'note']

/** Blocking ones first, then by file and line, or by the name of the place. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  const placeOf = ({ place: { file = '', source = '' } }: Finding): string => file || source
  return [...findings].sort(
    (a, b) =>
      ORDER.indexOf(a.level) - ORDER.indexOf(b.level) ||
      (placeOf(a) < placeOf(b) ? -1 : placeOf(a) > placeOf(b) ? 1 : 0) ||
      (a.place.line ?? 0) - (b.place.line ?? 0) ||
      (a.subject < b.subject ? -1 : a.subject > b.subject ? 1 : 0),
  )
}

/** How many findings there are of a level. */
export const countOf = ({ findings }: Report, level: Level): number => findings.filter(finding => finding.level === level).length
