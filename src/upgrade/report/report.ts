import type { Release } from '../../lifecycle/release.ts'
import { componentFindings, givenGateFindings } from './components.ts'
import { customVersionFindings } from './custom-kinds.ts'
import { examineObject, type Subject, upgradeOf } from './examine-object.ts'
import { type Finding, type Report, sortFindings } from './finding.ts'

/** What one source has: objects, and what it found itself. */
export interface Examined {
  /** `manifests/`, `https://10.0.0.1:6443` … */
  readonly name: string
  readonly subjects: readonly Subject[]
  readonly findings: readonly Finding[]
}

export interface ReportOptions {
  readonly from: Release
  readonly to: Release
  /** `A=true,B=false` of a component that no source shows. */
  readonly gates?: string
}

/** What the upgrade means for everything that the sources have. */
export async function reportOn(sources: readonly Examined[], { from, to, gates }: ReportOptions): Promise<Report> {
  const upgrade = upgradeOf(from, to)
  const subjects = sources.flatMap(source => source.subjects)
  const findings: Finding[] = [
    ...sources.flatMap(source => source.findings),
    ...(gates === undefined ? [] : givenGateFindings(gates, upgrade)),
    ...customVersionFindings(subjects),
  ]
  for (const subject of subjects) {
    findings.push(...(await examineObject(subject, upgrade)))
    findings.push(...componentFindings(subject.value, subject, subject.place, subject.label, upgrade))
  }
  return { from, to, sources: sources.map(({ name }) => name), objects: subjects.length, findings: sortFindings(findings) }
}
