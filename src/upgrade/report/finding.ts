import type { Release } from '../../lifecycle/release.ts'

/**
 * Severity of a finding. `blocking`: something stops working with the upgrade. `warning`: deprecated, or the behaviour
 * changes. `note`: for information.
 */
export type Level = 'blocking' | 'warning' | 'note'

/** Rules by name. The names are stable: outputs contain them, and users filter by them. */
export const RULES = {
  'removed-version': 'A version of a kind is not served by the target release',
  'deprecated-version': 'A version of a kind is deprecated in the target release',
  'missing-version': 'A version of a kind is newer than the target release',
  'removed-field': 'A field does not exist in the target release',
  'deprecated-field': 'A field, value or annotation is deprecated in the target release',
  'deprecated-annotation': 'An annotation or label is deprecated or has no effect',
  'activated-field': 'The present release drops a field, and the target release keeps it',
  'dropped-field': 'The target release drops a field, which the present one keeps',
  'new-warning': 'The target release warns of something that the present one accepts silently',
  'changed-default': 'The default of a field changes',
  'changed-validation': 'The target release rejects what the present one accepts',
  'invalid-object': 'Both releases reject the object, which may be a patch or a template',
  'removed-reference': 'A reference names a version that is not served',
  'unmatched-rule': 'A webhook, policy or role names versions or groups that are not served',
  'removed-gate': 'A feature gate does not exist in the target release',
  'locked-gate': 'A feature gate can no longer be set to this value',
  'deprecated-gate': 'A feature gate will be removed',
  'removed-flag': 'A flag or a value of a flag does not exist in the target release',
  'deprecated-flag': 'A flag is deprecated in the target release',
  'removed-config': 'A version of a component configuration is not supported by the target release',
  'deprecated-config': 'A version of a component configuration is deprecated in the target release',
  'custom-version': 'A version of a custom kind is deprecated or not served by its definition',
  'requested-version': 'Clients have requested a deprecated or removed version',
  'needs-decision': 'A conversion needs a decision',
  unreadable: 'An object or file could not be examined',
} as const

/** Id of a rule, by which programs that read a report in JSON or SARIF select findings. */
export type FindingRule = keyof typeof RULES

/** Location of a finding. */
export interface FindingLocation {
  /** File and line, from 1. */
  readonly file?: string
  /** Omitted if the finding concerns the whole file. */
  readonly line?: number
  /** Location outside of a file: the address, key or path of the object. */
  readonly source?: string
}

/** A client that wrote an object or requested a version. */
export interface Usage {
  /** Field manager or user agent, such as `kubectl-client-side-apply`. */
  readonly by: string
  /** Version that the client used, if it is known. */
  readonly apiVersion?: string
  /** RFC 3339. */
  readonly time?: string
}

/** A finding of the report. */
export interface Finding {
  /** Id of the rule, by which findings are filtered. */
  readonly rule: FindingRule
  /** Severity, by which the exit status is chosen. */
  readonly level: Level
  /** `Deployment shop/web`, `kube-apiserver --feature-gates` */
  readonly subject: string
  /** Where the user has to look: file and line, or the source. */
  readonly place: FindingLocation
  readonly message: string
  /** Optional. Advice for the user. */
  readonly advice?: string
  /** Optional. Release in which it takes effect. */
  readonly since?: Release
  /** Optional. Clients that use the version. */
  readonly usages?: readonly Usage[]
  /** Optional. Unified diff of converting the object. */
  readonly diff?: string
}

/** A report on one upgrade. */
export interface Report {
  /** Release before the upgrade. */
  readonly from: Release
  /** Release after the upgrade. */
  readonly to: Release
  /** Names of the sources: folders, servers. */
  readonly sources: readonly string[]
  /** Number of examined objects. */
  readonly objects: number
  /** Findings in the order of `sortFindings`. */
  readonly findings: readonly Finding[]
}

/** Order of the levels in a report. */
const ORDER: readonly Level[] = ['blocking', 'warning', 'note']

/** Sorts findings: blocking ones first, then by file and line, or by the name of the source. */
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

/** Returns the number of findings of a level. */
export const countOf = ({ findings }: Report, level: Level): number => findings.filter(finding => finding.level === level).length
